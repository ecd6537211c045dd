"""torch.nn.parallel.scatter_gather: what brings a batch to several devices and back; here there is one."""
from weft._absent import absent_functions as _functions

__all__ = ["gather", "scatter", "scatter_kwargs"]
_functions(" ".join(__all__), globals(), "weft runs on one device, which takes the whole batch")
