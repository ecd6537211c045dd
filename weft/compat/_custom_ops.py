"""torch._custom_ops: an older place of torch.library's functions."""
from weft.library import custom_op as custom_op
from weft.library import impl as impl
from weft.library import impl_abstract as impl_abstract
