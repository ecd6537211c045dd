"""The ops, one body each, by family."""
from weft.ops import inplace  # noqa: F401
from weft.ops import pointwise  # noqa: F401
from weft.ops import reduce  # noqa: F401
from weft.ops import view  # noqa: F401
from weft.ops import matmul  # noqa: F401
from weft.ops import convert  # noqa: F401
from weft.ops import creation  # noqa: F401
