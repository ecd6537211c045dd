"""torch.testing: tensors compared with tolerances, and random tensors for tests."""
# made by tools/stubs.py

from weft.testing.close import assert_allclose as assert_allclose
from weft.testing.close import assert_close as assert_close
from weft.testing.file_check import FileCheck as FileCheck
from weft.testing.make import make_tensor as make_tensor
