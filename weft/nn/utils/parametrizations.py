"""Ready parametrizations: orthogonal matrices, weight and spectral normalisation."""
import enum

from weft.core.dtype import finfo
from weft.core.modes import no_grad
from weft.nn.functional import normalize
from weft.nn.module import Module
from weft.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from weft.nn.utils.parametrize import register_parametrization
from weft.nn.utils.spectral_norm import as_matrix
from weft.nn.utils.weight_norm import norm_except_dim, scaled
from weft.ops.create.constants import eye, zeros_like
from weft.ops.random.draws import randn
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _is_orthogonal(q):
    n, k = q.size(-2), q.size(-1)
    return FUNCTIONS["allclose"](q.mH @ q, eye(k, dtype=q.dtype), atol=10.0 * n * finfo(q.dtype).eps)


def _make_orthogonal(a):
    """The Q of a tall matrix's QR factorisation with a positive diagonal of R."""
    x, tau = FUNCTIONS["geqrf"](a)
    return FUNCTIONS["linalg.householder_product"](x, tau) * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _OrthMaps(enum.Enum):
    matrix_exp = enum.auto()
    cayley = enum.auto()
    householder = enum.auto()


class _Orthogonal(Module):
    """Any matrix to an orthogonal one; with a `base`, the original says how far to turn away from it."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x):
        wide = x.size(-2) < x.size(-1)
        x = x.mT if wide else x
        q = self._reflected(x) if self.orthogonal_map == _OrthMaps.householder else self._turned(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    def _turned(self, x):
        """exp or Cayley's map of a skew-symmetric matrix."""
        n, k = x.size(-2), x.size(-1)
        x = x.tril()
        if n != k:
            x = FUNCTIONS["cat"]([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], -1)
        a = x - x.mH
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            q = FUNCTIONS["linalg.matrix_exp"](a)
        else:
            one = eye(n, dtype=a.dtype)
            q = FUNCTIONS["linalg.solve"](one.add(a, alpha=-0.5), one.add(a, alpha=0.5))
        return q[..., :k] if n != k else q

    def _reflected(self, x):
        """A product of Householder reflections, one for each column below the diagonal, which holds signs."""
        a = x.tril(-1)
        tau = 2.0 / (1.0 + (a * a).sum(-2))
        return FUNCTIONS["linalg.householder_product"](a, tau) * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def right_inverse(self, q):
        """The original of an orthogonal matrix."""
        if q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                             f"{q.shape}.")
        with no_grad():
            given, wide = q, q.size(-2) < q.size(-1)
            q = q.mT if wide else q
            n, k = q.size(-2), q.size(-1)
            if not hasattr(self, "base"):
                if self.orthogonal_map != _OrthMaps.householder:
                    raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley "
                                              "parametrizations when use_trivialization=False.")
                a, tau = FUNCTIONS["geqrf"](q)
                signs = a.diagonal(dim1=-2, dim2=-1)
                signs.copy_(signs.sign() * (1 - 2 * (tau == 0).to(signs.dtype)))
                return a.mT if wide else a
            if n != k:
                q = _make_orthogonal(FUNCTIONS["cat"]([q, randn(*q.shape[:-2], n, n - k, dtype=q.dtype)], -1))
            else:
                q = q.clone() if _is_orthogonal(q) else _make_orthogonal(q)
            self.base = q
            start = zeros_like(given)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keep a matrix, or a batch of them, orthogonal (unitary): by "matrix_exp", "cayley" or "householder".

    >>> import weft
    >>> layer = weft.nn.utils.parametrizations.orthogonal(weft.nn.Linear(3, 3))
    >>> layer.weight.shape
    torch.Size([3, 3])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
                         f'{orthogonal_map}')
    register_parametrization(module, name, _Orthogonal(weight, chosen, use_trivialization=use_trivialization),
                             unsafe=True)
    return module


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return scaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Express a parameter as its length (original0), per index of `dim`, and its direction (original1).

    >>> import weft
    >>> layer = weft.nn.utils.parametrizations.weight_norm(weft.nn.Linear(3, 3))
    >>> layer.weight.shape
    torch.Size([3, 3])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_names(state_dict, prefix, *_):
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)
    module._register_load_state_dict_pre_hook(take_old_names)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            for name, n in (("_u", matrix.size(0)), ("_v", matrix.size(1))):
                self.register_buffer(name, matrix.new_empty(n).normal_(0, 1))
            for own in (self._u, self._v):
                own.copy_(normalize(own, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _power_method(self, matrix, steps):
        with no_grad():
            for _ in range(steps):
                self._u.copy_(normalize(matrix.mv(self._v), dim=0, eps=self.eps))
                self._v.copy_(normalize(matrix.mH.mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()     # the graph keeps these; the buffers are written again next time
        return weight / FUNCTIONS["vdot"](u, matrix.mv(v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a parameter by its largest singular value, as estimated by power iterations.

    >>> import weft
    >>> layer = weft.nn.utils.parametrizations.spectral_norm(weft.nn.Linear(3, 3))
    >>> layer.weight.shape
    torch.Size([3, 3])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
