"""torch._subclasses: tensors without values, by which PyTorch traces; weft's are those of the meta device."""
from weft._subclasses.fake_tensor import FakeTensor as FakeTensor
from weft._subclasses.fake_tensor import FakeTensorMode as FakeTensorMode
