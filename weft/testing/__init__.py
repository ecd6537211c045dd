"""torch.testing: tensors compared with tolerances, and random tensors for tests."""
from weft.testing.close import assert_allclose as assert_allclose
from weft.testing.close import assert_close as assert_close
from weft.testing.file_check import FileCheck as FileCheck
from weft.testing.make import make_tensor as make_tensor

__all__ = ["FileCheck", "assert_allclose", "assert_close", "make_tensor"]
