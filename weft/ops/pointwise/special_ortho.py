"""Special functions without a derivative: Bessel and Airy functions, orthogonal polynomials."""
from weft.kernels import special, special_bessel, special_poly
from weft.ops.core.registry import op
from weft.ops.pointwise.base import NO_GRAD_FLOATING, refuse

TAGS = NO_GRAD_FLOATING - {"inplace"}
# name: (kernel, what it is)
FUNCTIONS_OF_ONE = {
    "airy_ai": (special_bessel.airy_ai, "The Airy function Ai."),
    "bessel_j0": (special_bessel.bessel_j0, "The Bessel function of the first kind, of order 0."),
    "bessel_j1": (special_bessel.bessel_j1, "The Bessel function of the first kind, of order 1."),
    "bessel_y0": (special_bessel.bessel_y0, "The Bessel function of the second kind, of order 0."),
    "bessel_y1": (special_bessel.bessel_y1, "The Bessel function of the second kind, of order 1."),
    "modified_bessel_i0": (special.i0,
                           "The modified Bessel function of the first kind, of order 0, without a gradient."),
    "modified_bessel_i1": (special.i1,
                           "The modified Bessel function of the first kind, of order 1, without a gradient."),
    "modified_bessel_k0": (special_bessel.modified_bessel_k0,
                           "The modified Bessel function of the second kind, of order 0."),
    "modified_bessel_k1": (special_bessel.modified_bessel_k1,
                           "The modified Bessel function of the second kind, of order 1."),
    "scaled_modified_bessel_k0": (special_bessel.scaled_modified_bessel_k0, "modified_bessel_k0(x) * e**x."),
    "scaled_modified_bessel_k1": (special_bessel.scaled_modified_bessel_k1, "modified_bessel_k1(x) * e**x."),
    "spherical_bessel_j0": (special_bessel.spherical_bessel_j0,
                            "The spherical Bessel function of order 0: sin(x) / x."),
}
POLYNOMIALS = {
    "chebyshev_polynomial_t": "The Chebyshev polynomial of the first kind, of degree n.",
    "chebyshev_polynomial_u": "The Chebyshev polynomial of the second kind, of degree n.",
    "chebyshev_polynomial_v": "The Chebyshev polynomial of the third kind, of degree n.",
    "chebyshev_polynomial_w": "The Chebyshev polynomial of the fourth kind, of degree n.",
    "shifted_chebyshev_polynomial_t": "The Chebyshev polynomial of the first kind at 2x - 1.",
    "shifted_chebyshev_polynomial_u": "The Chebyshev polynomial of the second kind at 2x - 1.",
    "shifted_chebyshev_polynomial_v": "The Chebyshev polynomial of the third kind at 2x - 1.",
    "shifted_chebyshev_polynomial_w": "The Chebyshev polynomial of the fourth kind at 2x - 1.",
    "hermite_polynomial_h": "The physicist's Hermite polynomial of degree n.",
    "hermite_polynomial_he": "The probabilist's Hermite polynomial of degree n.",
    "laguerre_polynomial_l": "The Laguerre polynomial of degree n.",
    "legendre_polynomial_p": "The Legendre polynomial of degree n.",
}


def _of_one(name, kernel, doc):
    def forward(x):
        refuse(f"{name}_cpu", x, "c")
        return kernel(x)
    return op(type(name, (), {"__doc__": doc, "names": f"special.{name}", "tags": TAGS, "forward": forward,
                              "samples": [((3, 2),), ((),)]}))


def _polynomial(name, kernel, doc):
    def forward(x, n):
        refuse(f"{name}_cpu", x, "c")
        return kernel(x, n)
    return op(type(name, (), {"__doc__": doc, "names": f"special.{name}", "tags": TAGS, "forward": forward,
                              "samples": [((3, 2), 3), ((3, 2), (3, 2))]}))


for _name, (_kernel, _doc) in FUNCTIONS_OF_ONE.items():
    _of_one(_name, _kernel, _doc)
for _name, _doc in POLYNOMIALS.items():
    _polynomial(_name, getattr(special_poly, _name), _doc)
