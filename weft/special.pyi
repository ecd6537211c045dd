"""torch.special's functions, from the op registry."""
# made by tools/stubs.py
from weft._typing import DType, Ints, TensorLike
from weft.tensor.tensor import Tensor

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2**input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.exp2(x)
    tensor([[1.2311, 1.3379],
            [1.4540, 1.5801],
            [1.7171, 1.8661]])
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e**input - 1, exact near 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.expm1(x)
    tensor([[0.3499, 0.5220],
            [0.7160, 0.9348],
            [1.1815, 1.4596]])
    """
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + input), exact near 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.log1p(x)
    tensor([[0.2624, 0.3507],
            [0.4318, 0.5068],
            [0.5766, 0.6419]])
    """
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest integer, the even one of two; or the nearest number with so many decimals.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.round(x)
    tensor([-2.,  0.,  2.])
    """
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + e**-input).

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sigmoid(x)
    tensor([[0.5744, 0.6035],
            [0.6318, 0.6593],
            [0.6857, 0.7109]])
    """
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(input / (1 - input)), input clamped to [eps, 1 - eps] first where eps is given.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.logit(x, 0.1)
    tensor([[-0.8473, -0.3228],
            [ 0.1603,  0.6633],
            [ 1.2657,  2.1972]])
    """
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.erf(x)
    tensor([[0.3286, 0.4475],
            [0.5549, 0.6494],
            [0.7300, 0.7969]])
    """
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(input), exact where it is small.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.erfc(x)
    tensor([[0.6714, 0.5525],
            [0.4451, 0.3506],
            [0.2700, 0.2031]])
    """
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.erfinv(x)
    tensor([[0.2725, 0.3913],
            [0.5224, 0.6747],
            [0.8673, 1.1631]])
    """
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e**(input * input) * erfc(input).

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.erfcx(x)
    tensor([[0.7346, 0.6591],
            [0.5957, 0.5420],
            [0.4961, 0.4565]])
    """
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The share of the standard normal distribution below input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.ndtr(x)
    tensor([[0.6179, 0.6628],
            [0.7054, 0.7454],
            [0.7823, 0.8159]])
    """
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ndtr.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.ndtri(x)
    tensor([[-0.5244, -0.2019],
            [ 0.1004,  0.4125],
            [ 0.7722,  1.2816]])
    """
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(ndtr(input)), exact in the lower tail.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.log_ndtr(x)
    tensor([[-0.4814, -0.4113],
            [-0.3490, -0.2939],
            [-0.2455, -0.2034]])
    """
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input * log(input), 0 at 0 and -inf below.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.entr(x)
    tensor([[0.3612, 0.3644],
            [0.3327, 0.2742],
            [0.1938, 0.0948]])
    """
def xlogy(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input * log(other), 0 where input is 0.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.xlogy(x, y)
    tensor([[-0.0745, -0.1498],
            [-0.2669, -0.4190],
            [-0.6404, -0.9195]])
    """
def xlog1py(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input * log(1 + other), 0 where input is 0.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.special.xlog1py(x, y)
    tensor([[0.1730, 0.2229],
            [0.2572, 0.2807],
            [0.2844, 0.2767]])
    """
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log |gamma(input)|.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.lgamma(x)
    tensor([[1.0958, 0.7469],
            [0.4976, 0.3120],
            [0.1718, 0.0664]])
    """
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.digamma(x)
    tensor([[-3.5025, -2.4220],
            [-1.7786, -1.3388],
            [-1.0119, -0.7549]])
    """
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.digamma(x)
    tensor([[-3.5025, -2.4220],
            [-1.7786, -1.3388],
            [-1.0119, -0.7549]])
    """
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma at input.

    Shape: (1,) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0])
    >>> weft.polygamma(1, x)
    tensor([1.6449])
    """
def multigammaln(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function of p-by-p matrices.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.mvlgamma(x, 2)
    tensor([[3.4297, 3.8966],
            [4.2670, 2.6442],
            [1.9126, 1.4354]])
    """
def gammainc(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The lower regularized incomplete gamma function of order input at other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> y = weft.tensor([0.5, 0.5])
    >>> weft.igamma(x, y)
    tensor([0.3935, 0.0902])
    """
def gammaincc(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The upper regularized incomplete gamma function of order input at other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> y = weft.tensor([0.5, 0.5])
    >>> weft.igammac(x, y)
    tensor([0.6065, 0.9098])
    """
def zeta(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum of (k + other)**-input over k = 0, 1, 2, ...

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.special.zeta(2.5, x)
    tensor([[ 2.2859,  2.9029],
            [ 3.9555,  5.4579],
            [ 8.4263, 13.5759]])
    """
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.i0(x)
    tensor([[1.0226, 1.0446],
            [1.0742, 1.1119],
            [1.1580, 1.2130]])
    """
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """i0(input) * e**-|input|.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.i0e(x)
    tensor([[0.7576, 0.6863],
            [0.6260, 0.5747],
            [0.5308, 0.4932]])
    """
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.i1(x)
    tensor([[0.1517, 0.2147],
            [0.2800, 0.3483],
            [0.4204, 0.4971]])
    """
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """i1(input) * e**-|input|.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.i1e(x)
    tensor([[0.1124, 0.1410],
            [0.1631, 0.1800],
            [0.1927, 0.2021]])
    """
def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Airy function Ai.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.airy_ai(x)
    tensor([[0.2788, 0.2500],
            [0.2228, 0.1973],
            [0.1736, 0.1519]])
    """
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.bessel_j0(x)
    tensor([[0.9776, 0.9564],
            [0.9284, 0.8940],
            [0.8536, 0.8075]])
    """
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.bessel_j1(x)
    tensor([[0.1483, 0.2054],
            [0.2603, 0.3124],
            [0.3611, 0.4059]])
    """
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.bessel_y0(x)
    tensor([[-0.8073, -0.5712],
            [-0.3876, -0.2359],
            [-0.1066,  0.0056]])
    """
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.bessel_y1(x)
    tensor([[-2.2931, -1.7076],
            [-1.3785, -1.1613],
            [-1.0013, -0.8731]])
    """
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0, without a gradient.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.modified_bessel_i0(x)
    tensor([[1.0226, 1.0446],
            [1.0742, 1.1119],
            [1.1580, 1.2130]])
    """
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1, without a gradient.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.modified_bessel_i1(x)
    tensor([[0.1517, 0.2147],
            [0.2800, 0.3483],
            [0.4204, 0.4971]])
    """
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.modified_bessel_k0(x)
    tensor([[1.3725, 1.0721],
            [0.8614, 0.7043],
            [0.5829, 0.4867]])
    """
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.modified_bessel_k1(x)
    tensor([[3.0560, 2.0590],
            [1.4994, 1.1420],
            [0.8955, 0.7165]])
    """
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """modified_bessel_k0(input) * e**input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.scaled_modified_bessel_k0(x)
    tensor([[1.8526, 1.6317],
            [1.4781, 1.3627],
            [1.2716, 1.1972]])
    """
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """modified_bessel_k1(input) * e**input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.scaled_modified_bessel_k1(x)
    tensor([[4.1252, 3.1337],
            [2.5730, 2.2096],
            [1.9535, 1.7624]])
    """
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The spherical Bessel function of order 0: sin(input) / input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.spherical_bessel_j0(x)
    tensor([[0.9851, 0.9709],
            [0.9521, 0.9290],
            [0.9016, 0.8704]])
    """
def chebyshev_polynomial_t(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the first kind, of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.chebyshev_polynomial_t(x, 3)
    tensor([[-0.7920, -0.9636],
            [-0.9901, -0.8300],
            [-0.4418,  0.2160]])
    """
def chebyshev_polynomial_u(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the second kind, of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.chebyshev_polynomial_u(x, 3)
    tensor([[-0.9840, -1.0873],
            [-0.9003, -0.3400],
            [ 0.6764,  2.2320]])
    """
def chebyshev_polynomial_v(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the third kind, of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.chebyshev_polynomial_v(x, 3)
    tensor([[-0.3440, -0.7929],
            [-1.0667, -1.0824],
            [-0.7572, -0.0080]])
    """
def chebyshev_polynomial_w(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind, of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.chebyshev_polynomial_w(x, 3)
    tensor([[-1.6240, -1.3817],
            [-0.7339,  0.4024],
            [ 2.1100,  4.4720]])
    """
def shifted_chebyshev_polynomial_t(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the first kind at 2x - 1.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.shifted_chebyshev_polynomial_t(x, 3)
    tensor([[ 0.9440,  0.4636],
            [-0.2380, -0.8289],
            [-0.9775, -0.3520]])
    """
def shifted_chebyshev_polynomial_u(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the second kind at 2x - 1.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.shifted_chebyshev_polynomial_u(x, 3)
    tensor([[ 1.0880,  0.6072],
            [-0.3159, -1.0179],
            [-0.8351,  0.8960]])
    """
def shifted_chebyshev_polynomial_v(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the third kind at 2x - 1.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.shifted_chebyshev_polynomial_v(x, 3)
    tensor([[ 1.4480,  1.5048],
            [ 0.6585, -0.4275],
            [-1.0895, -0.6640]])
    """
def shifted_chebyshev_polynomial_w(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial of the fourth kind at 2x - 1.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.shifted_chebyshev_polynomial_w(x, 3)
    tensor([[ 0.7280, -0.2904],
            [-1.2903, -1.6083],
            [-0.5807,  2.4560]])
    """
def hermite_polynomial_h(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The physicist's Hermite polynomial of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.hermite_polynomial_h(x, 3)
    tensor([[-3.3840, -4.4473],
            [-5.2203, -5.6200],
            [-5.5636, -4.9680]])
    """
def hermite_polynomial_he(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The probabilist's Hermite polynomial of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.hermite_polynomial_he(x, 3)
    tensor([[-0.8730, -1.1859],
            [-1.4625, -1.6925],
            [-1.8654, -1.9710]])
    """
def laguerre_polynomial_l(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Laguerre polynomial of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.laguerre_polynomial_l(x, 3)
    tensor([[ 0.2305, -0.0077],
            [-0.2088, -0.3745],
            [-0.5065, -0.6065]])
    """
def legendre_polynomial_p(input: TensorLike, n: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The Legendre polynomial of degree n.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.special.legendre_polynomial_p(x, 3)
    tensor([[-0.3825, -0.4448],
            [-0.4163, -0.2713],
            [ 0.0164,  0.4725]])
    """
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi input) / (pi input), 1 at 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sinc(x)
    tensor([[0.8584, 0.7341],
            [0.5848, 0.4226],
            [0.2601, 0.1093]])
    """
def softmax(input: Tensor, dim: int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """e**input over its sum along `dim`.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.softmax(x, 0)
    tensor([0.0900, 0.2447, 0.6652])
    """
def log_softmax(input: Tensor, dim: int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax, computed without it.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.log_softmax(x, 0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
def logsumexp(input: Tensor, dim: Ints, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of e**input along `dim`, without overflow.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.logsumexp(x, 1)
    tensor([3.1269, 4.1269])
    """
