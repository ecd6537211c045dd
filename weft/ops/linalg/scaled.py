"""Products of matrices whose elements have a byte each, with the scales that bring them back to size."""
from weft.core import dtype as dtypes
from weft.core.errors import fail


def _scaled_mm(input, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    """(input * scale_a) @ (mat2 * scale_b) + bias of two matrices of a float8 type, added up in float32.

    A scale is one number, or one for each row of `input` and each column of `mat2`.

    >>> import weft
    >>> a = weft.ones(2, 3).to(weft.float8_e4m3fn)
    >>> weft._scaled_mm(a, a.t(), weft.tensor(0.5), weft.tensor(2.0), out_dtype=weft.float32)
    tensor([[3., 3.],
            [3., 3.]])
    """
    if input.dim() != 2 or mat2.dim() != 2 or input.shape[1] != mat2.shape[0]:
        fail(RuntimeError, "mat_a and mat_b shapes cannot be multiplied ("
             f"{'x'.join(map(str, input.shape))} and {'x'.join(map(str, mat2.shape))})")
    rows, columns = input.shape[0], mat2.shape[1]
    one = scale_a.numel() == scale_b.numel() == 1
    each = scale_a.shape == (rows, 1) and scale_b.shape == (1, columns)
    if not (input.dtype in dtypes.FLOAT8 and mat2.dtype in dtypes.FLOAT8 and (one or each)
            and scale_a.dtype is scale_b.dtype is dtypes.float32):
        fail(ValueError, f"_scaled_mm: got a {input.dtype} and a {mat2.dtype}, with scales of shape "
             f"{tuple(scale_a.shape)} and {tuple(scale_b.shape)}",
             "give two matrices of a float8 type and float32 scales, either one number each or of shape "
             f"({rows}, 1) and (1, {columns})")
    made = (input.float() @ mat2.float()) * scale_a * scale_b
    if bias is not None:
        made = made + bias.float()
    if scale_result is not None:
        made = made * scale_result
    return made.to(input.dtype if out_dtype is None else out_dtype)
