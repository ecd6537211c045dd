"""Bessel functions of orders 0 and 1 and the Airy function on NumPy arrays, without SciPy.

Near the origin: series-like fits with the first zeros as factors, so that the relative error stays small at them.
Far out: the asymptotic forms, their slowly varying factors fitted in the reciprocal of the argument.
"""
import math

import numpy as np

from .special import Fit, elementwise, evaluate, pieces
from .special import i0 as modified_bessel_i0
from .special import i1 as modified_bessel_i1

_2_PI, _SQRT_2_PI, _SQRT1_2, _SQRT_PI = 2.0 / math.pi, math.sqrt(2.0 / math.pi), math.sqrt(0.5), math.sqrt(math.pi)

# Fitted as described in special.py (mpmath, interpolation at Chebyshev nodes, relative error below 3e-17), u = x^2.
# _K0_SMALL K0 + log(x/2) I0 and _K1_SMALL x (K1 - log(x/2) I1) in u on [0, 1];  _K?_LARGE sqrt(x) exp(x) K in 1/x on
# [0, 1];  _J0_SMALL J0 / ((u - z1^2)(u - z2^2)) and _J1_SMALL J1 / (x (u - z^2)) in u on [0, 25], z the zeros below;
# _Y0_SMALL Y0 - 2/pi log(x) J0 and _Y1_SMALL (Y1 - 2/pi (log(x) J1 - 1/x)) / x in u on [0, 25];  _P?, _Q? the factors
# of cos and sin in J (see _phase_form), Q divided by 5/x, in (5/x)^2 on [0, 1];  _AI_MIDDLE Ai on [0, 2];
# _AI_LARGE 2 sqrt(pi) x^(1/4) exp(z) Ai in 1/z, z = 2/3 x^(3/2), x >= 2;  _AI_NEGATIVE Ai / (x - zero) on [-3.5, 0];
# _AI_P, _AI_Q the factors of cos and sin in Ai(-x), Q divided by 1/z, in 1/z^2, x >= 3.5.
_K0_SMALL = Fit(0.0, (
    4.9241892075301924e-12, 8.818563640355968e-10, 1.1570362119527242e-07, 1.0214014083524546e-05,
    0.0005451899602702101, 0.01441850523591188, 0.10569608377461687, -0.5772156649015329))
_K1_SMALL = Fit(0.0, (
    -6.666125367903499e-11, -1.0110857221340215e-08, -1.0892199927302317e-06, -7.493042824415687e-05,
    -0.0028371119839711075, -0.042049020943628224, 0.03860783245076519, 1.0))
_K0_LARGE = Fit(0.0, (
    0.017287636930648036, 2.1555177862513557, 43.030535840646344, 298.17231643111654, 934.293904042123,
    1502.2578262861275, 1320.362233319261, 648.3034723221456, 174.5133864332348, 23.707593761091317,
    1.2533141373155001), (
    0.05025538179708416, 3.2090040961494894, 49.39505091221372, 297.66206988794073, 857.8325251580183,
    1308.504065262776, 1111.5387183353878, 533.6996760130614, 141.5513395679753, 19.04092303576108, 1.0))
_K1_LARGE = Fit(0.0, (
    0.12274259803774341, 5.962082121081809, 76.65166764198771, 409.70914569737556, 1095.6449446925278,
    1603.957738214257, 1339.3086952875, 642.2756923469484, 171.842975695219, 23.452595476510425, 1.2533141373155003), (
    0.006869176587715078, 1.0569534037009252, 23.255519422801616, 173.45094933963543, 578.5597326251832,
    983.0104696475412, 907.5432738657274, 465.6264302784156, 130.35149574908456, 18.337463841462814, 1.0))
_J0_SMALL = Fit(12.5, (
    -3.027341846156215e-28, 2.0066809494492285e-25, -1.1279906530572863e-22, 5.307848073138861e-20,
    -2.0513164248843697e-17, 6.3664869553613294e-15, -1.542157652646577e-12, 2.8077895054128633e-10,
    -3.6463130831748366e-08, 3.1211693936997383e-06, -0.00015368696349731236, 0.0031873556303932387))
_J1_SMALL = Fit(12.5, (
    7.961220275215586e-27, -4.88004165706825e-24, 2.519778412134359e-21, -1.080977087942622e-18,
    3.773858562439956e-16, -1.046316626044439e-13, 2.2330356187717135e-11, -3.519674872654698e-09,
    3.866900701671058e-07, -2.7137446357732623e-05, 0.0010472622017448023, -0.01587595431164548))
_Y0_SMALL = Fit(12.5, (
    6.413092053703546e-28, -4.157484998022908e-25, 2.279766708067702e-22, -1.0437796176179178e-19,
    3.9114007972551516e-17, -1.1719731575283442e-14, 2.725171238972185e-12, -4.725957372281842e-10,
    5.778749977178523e-08, -4.567729022701017e-06, 0.00019892039657764323, -0.003011688739390264, -0.034612465782841,
    0.4837248578102995))
_Y1_SMALL = Fit(12.5, (
    2.351682982706404e-29, -1.6477434739735783e-26, 9.834568489092787e-24, -4.940609408578842e-21,
    2.0520416665448937e-18, -6.901774341636049e-16, 1.831463457621135e-13, -3.7071974025092695e-11,
    5.468334105767425e-09, -5.502334460239121e-07, 3.396964021646903e-05, -0.0010439693029195979,
    0.007286920670758755, 0.13974939033568806))
_P0 = Fit(0.5, (
    -2.6181653714356725e-07, 2.342056723858103e-07, 7.901812708630813e-08, -5.868947124217847e-08,
    -9.744070963507077e-08, 1.0061263994721303e-07, -7.575561062715989e-08, 9.980750107006126e-08,
    -1.4558229668079948e-07, 2.1916888260151202e-07, -3.67461407287023e-07, 7.077329351913132e-07,
    -1.6276570911626252e-06, 4.761441582554933e-06, -1.967970659377354e-05, 0.00013966922324366306,
    -0.002654986254400689, 0.9986347659091991))
_Q0 = Fit(0.5, (
    1.5731409253309382e-06, -1.2400012161653293e-06, -1.1695214598636257e-06, 8.944676773846634e-07,
    5.927108738568944e-07, -4.717405135285921e-07, -4.67388354118533e-08, 1.8131838132293994e-08,
    9.574247083187035e-08, -9.925032062468589e-08, 9.721297214361428e-08, -1.1901973619258869e-07,
    1.5639469035317047e-07, -2.199324128350588e-07, 3.40396872621873e-07, -5.938920954269925e-07,
    1.2076989450137778e-06, -3.011160100067435e-06, 9.982581072746887e-06, -5.0709723540106056e-05,
    0.0005256855891640948, -0.02472299270522373))
_P1 = Fit(0.5, (
    2.775262846299765e-07, -2.48684256564872e-07, -8.292795826285393e-08, 6.142580345556669e-08,
    1.0413317110429435e-07, -1.079223059938214e-07, 8.22167735092965e-08, -1.0872875049782309e-07,
    1.5917453270408808e-07, -2.4117976707358413e-07, 4.077081983008228e-07, -7.93774632315733e-07,
    1.8533323921343088e-06, -5.546750589719177e-06, 2.382896886427488e-05, -0.00018313122611817513,
    0.0044829264278342645, 1.0022906462560661))
_Q1 = Fit(0.5, (
    1.1532842961261656e-06, -9.294022587223765e-07, -7.508604294247147e-07, 5.80932807863633e-07,
    3.975456976409522e-07, -3.2840557106764065e-07, 1.138910152330178e-08, -3.03904498730848e-08,
    1.0137602167491685e-07, -1.1369781761290687e-07, 1.2960739343032852e-07, -1.6964884064206528e-07,
    2.408091014994786e-07, -3.754388175670355e-07, 6.61011839614573e-07, -1.3610705587132584e-06,
    3.4556332302203883e-06, -1.1791884726261427e-05, 6.31847534237779e-05, -0.0007459398487364925,
    0.07460948663481604))
_AI_MIDDLE = Fit(1.0, (
    4.815804219742831e-07, -8.692001103987846e-06, 5.120155391700645e-05, 3.8310421401143314e-05,
    -0.0018255284800719471, 0.007244920351676549, 0.0014346238419890894, -0.07259852958002767, 0.13529241631288141), (
    1.4280986446141928e-06, 2.599684984284422e-05, 0.00030720966577554935, 0.0024729025194621637,
    0.015495938158347267, 0.0725892733884162, 0.2631174957215337, 0.6397173919682966, 1.0))
_AI_LARGE = Fit(0.25, (
    362.4468936997909, -288.47151361613425, 4.55222774166801, 41.06476808854792, 1.1796812964186247,
    -7.526008158116368, 1.893802066642271, -0.3704815618162184, 0.318779125673155, -0.21442011543043707,
    0.1192335557862779, -0.07003802287384799, 0.043819114942034686, -0.028705574220451908, 0.01985560549083502,
    -0.014675711746244317, 0.01175929693949532, -0.010426902084135542, 0.010554534685380541, -0.012837989425846219,
    0.02066872202371739, -0.055728975323079334, 0.9845197059940428))
_AI_NEGATIVE = Fit(-1.75, (
    -4.013086238001929e-09, 1.0586421247543566e-07, -8.308030827086934e-07, -2.1662469264601116e-06,
    6.563517774183745e-05, -0.00022731271921687713, -0.001322468731974054, 0.009541959160059819,
    0.0031342581071391036, -0.12747949402248296, 0.08564907364955171, 0.6214566348152394), (
    1.4521069208215573e-08, 2.58056999264413e-07, 3.825742428664882e-06, 3.800601819469661e-05,
    0.00032757612800109827, 0.002183260546045165, 0.012648065772066674, 0.05638822519456773, 0.21200514488876743,
    0.5285493025738343, 1.0))
_AI_P = Fit(0.0262, (
    -4.830033195132824e+18, 2.0617528758925667e+17, 7833011920628943.0, -324939216462710.75, -11240620973292.115,
    503665073527.99963, -2852980992.0144897, 217826043.17242578, -25858505.235615738, 1578947.1616482153,
    -100330.49987326589, 7233.981795740062, -576.7266951402219, 52.06292425798134, -5.541047016269582,
    0.7383737755001673, -0.13631866557116878, 0.04225030497977363, -0.034566649749879365, 0.9990624591608642))
_AI_Q = Fit(0.0262, (
    9.700373845229113e+26, -3.733715634870704e+25, -2.76177871621676e+24, 1.062645503178531e+23,
    3.933087427519484e+21, -1.5305036558466168e+20, -2.912433708026544e+18, 1.1284240332606565e+17,
    1939074349331709.5, -80020252560452.92, 362239971361.77637, -24691849903.11491, 2572848648.064594,
    -142467321.47144866, 8109572.045657975, -508511.48284931714, 34295.75363663505, -2522.073219608844,
    206.99306666157193, -19.567290107393795, 2.2346582634257564, -0.33313758919946257, 0.07442191876151986,
    -0.03317510375844762, 0.06851678340572583))
_J0_ZEROS = ((2.404825557695773, -1.176691651530894e-16), (5.520078110286311, 8.088597146146722e-17))
_J1_ZERO = (3.8317059702075125, -1.5269184090088067e-16)  # zeros in two parts: twice the precision
_AI_ZERO = (-2.338107410459767, -3.912260409818305e-17)


def _minus_zero(x, zero):
    """x^2 - zero^2, exact to the last bit next to the zero."""
    return (x - zero[0] - zero[1]) * (x + zero[0])


def _j0_small(x):
    return _minus_zero(x, _J0_ZEROS[0]) * _minus_zero(x, _J0_ZEROS[1]) * evaluate(_J0_SMALL, x * x)


def _j1_small(x):
    return x * _minus_zero(x, _J1_ZERO) * evaluate(_J1_SMALL, x * x)


def _y0_small(x):
    return evaluate(_Y0_SMALL, x * x) + _2_PI * np.log(x) * _j0_small(x)


def _y1_small(x):
    return x * evaluate(_Y1_SMALL, x * x) + _2_PI * (np.log(x) * _j1_small(x) - 1.0 / x)


def _phase_form(p_fit, q_fit, order, second):
    """J = sqrt(2/(pi x)) (P cos c - Q sin c), Y = sqrt(2/(pi x)) (P sin c + Q cos c), c = x - pi/4 - order pi/2."""
    def far(x):
        p, q = evaluate(p_fit, 25.0 / (x * x)), evaluate(q_fit, 25.0 / (x * x)) * (5.0 / x)
        # cos c and sin c by the addition theorem: subtracting pi/4 from a large x would round it
        cos, sin = np.cos(x), np.sin(x)
        cos, sin = (cos + sin, sin - cos) if order == 0 else (sin - cos, -cos - sin)
        return (_SQRT_2_PI * _SQRT1_2) / np.sqrt(x) * (p * sin + q * cos if second else p * cos - q * sin)
    return far


@elementwise
def bessel_j0(x):
    """The Bessel function of the first kind J0."""
    size = np.abs(x)
    return pieces((size,), (size < 5.0, _j0_small), (size >= 5.0, _phase_form(_P0, _Q0, 0, False)))


@elementwise
def bessel_j1(x):
    """The Bessel function of the first kind J1."""
    size = np.abs(x)
    value = pieces((size,), (size < 5.0, _j1_small), (size >= 5.0, _phase_form(_P1, _Q1, 1, False)))
    return np.where(np.signbit(x), -value, value)


@elementwise
def bessel_y0(x):
    """The Bessel function of the second kind Y0; -inf at 0, NaN below."""
    return pieces((x,), ((x >= 0.0) & (x < 5.0), _y0_small), (x >= 5.0, _phase_form(_P0, _Q0, 0, True)))


@elementwise
def bessel_y1(x):
    """The Bessel function of the second kind Y1; -inf at 0, NaN below."""
    return pieces((x,), (x == 0.0, lambda x: np.full_like(x, -np.inf)), ((x > 0.0) & (x < 5.0), _y1_small),
                  (x >= 5.0, _phase_form(_P1, _Q1, 1, True)))


def _k0_small(x):
    return evaluate(_K0_SMALL, x * x) - np.log(0.5 * x) * modified_bessel_i0(x)


def _k1_small(x):
    return evaluate(_K1_SMALL, x * x) / x + np.log(0.5 * x) * modified_bessel_i1(x)


def _scaled_k(x, small, large):
    """exp(x) K(x): the logarithmic form up to 1, where its two parts hardly cancel, else a fit in 1/x."""
    return pieces((x,), (x == 0.0, lambda x: np.full_like(x, np.inf)),
                  ((x > 0.0) & (x < 1.0), lambda x: np.exp(x) * small(x)),
                  (x >= 1.0, lambda x: evaluate(large, 1.0 / x) / np.sqrt(x)))


@elementwise
def scaled_modified_bessel_k0(x):
    """exp(x) K0(x)."""
    return _scaled_k(x, _k0_small, _K0_LARGE)


@elementwise
def scaled_modified_bessel_k1(x):
    """exp(x) K1(x)."""
    return _scaled_k(x, _k1_small, _K1_LARGE)


@elementwise
def modified_bessel_k0(x):
    """The modified Bessel function of the second kind K0; inf at 0, NaN below."""
    return _scaled_k(x, _k0_small, _K0_LARGE) * np.exp(-x)


@elementwise
def modified_bessel_k1(x):
    """The modified Bessel function of the second kind K1; inf at 0, NaN below."""
    return _scaled_k(x, _k1_small, _K1_LARGE) * np.exp(-x)


@elementwise
def spherical_bessel_j0(x):
    """sin(x) / x, 1 at 0 and 0 at infinity."""
    return np.where(x == 0.0, 1.0, np.where(np.isinf(x), 0.0, np.sin(x) / x))


def _product_rest(a, b, product):
    """a b - product exactly (Dekker's splitting into 26-bit halves)."""
    def halves(v):
        high = 134217729.0 * v
        high = high - (high - v)
        return high, v - high
    (a1, a2), (b1, b2) = halves(a), halves(b)
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _two_thirds_power(x):
    """z + rest = 2/3 x^(3/2): z is an exponent or a phase, so its rounding would cost z ulps; and the root of x."""
    root = np.sqrt(x)
    root_rest = -_product_rest(root, root, x) / (2.0 * root)
    cube = x * root
    cube_rest = _product_rest(x, root, cube) + x * root_rest
    z = cube * (2.0 / 3.0)
    return z, ((2.0 * (cube - z) - z) + 2.0 * cube_rest) / 3.0, root


def _ai_large(x):
    z, rest, root = _two_thirds_power(np.minimum(x, 1e4))  # 0 by then
    return np.exp(-z) * (1.0 - rest) / (2.0 * _SQRT_PI * np.sqrt(root)) * evaluate(_AI_LARGE, 1.0 / z)


def _ai_oscillating(x):
    """Ai for x <= -3.5; the phase z - pi/4 goes through the addition theorem as in _phase_form."""
    z, rest, root = _two_thirds_power(-x)
    cos = np.cos(z) * np.cos(rest) - np.sin(z) * np.sin(rest)
    sin = np.sin(z) * np.cos(rest) + np.cos(z) * np.sin(rest)
    p, q = evaluate(_AI_P, 1.0 / (z * z)), evaluate(_AI_Q, 1.0 / (z * z)) / z
    return _SQRT1_2 * (p * (cos + sin) + q * (sin - cos)) / (_SQRT_PI * np.sqrt(root))


@elementwise
def airy_ai(x):
    """The Airy function Ai; NaN at both infinities, as in PyTorch."""
    return pieces((x,), ((x > 2.0) & (x < np.inf), _ai_large),
                  ((x >= 0.0) & (x <= 2.0), lambda x: evaluate(_AI_MIDDLE, x)), (x <= -3.5, _ai_oscillating),
                  ((x > -3.5) & (x < 0.0), lambda x: (x - _AI_ZERO[0] - _AI_ZERO[1]) * evaluate(_AI_NEGATIVE, x)))
