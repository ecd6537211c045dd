"""Tensors and modules spread over a mesh: out of whole ones, or made so."""
from weft.core.errors import fail
from weft.core.modes import no_grad
from weft.distributed.dtensor import shapes as _shapes  # noqa: F401  the rules
from weft.distributed.dtensor.layout import Layout, has_partial, mesh_of, placements_of, replicated
from weft.distributed.dtensor.plan import drawn
from weft.distributed.dtensor.tensor import DTensor, spread, whole_on_rank
from weft.nn.parameter import Parameter
from weft.tensor.names import FUNCTIONS

__all__ = ["DTensor", "distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros"]


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    """A whole tensor, spread over a mesh: the values are those of the mesh's first rank, or with src_data_rank=None
    those that each rank has.

    >>> import weft
    >>> from weft.distributed.tensor import Shard, distribute_tensor
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> x = distribute_tensor(weft.ones(4, 3), mesh, [Shard(0)])
    >>> x.shape, x.placements
    (torch.Size([4, 3]), (Shard(dim=0),))
    >>> weft.distributed.destroy_process_group()
    """
    mesh = mesh_of(device_mesh, "distribute_tensor")
    placed = placements_of(placements, mesh, tensor.dim(), "distribute_tensor")
    if has_partial(placed):
        fail(RuntimeError, "distribute_tensor: a whole tensor has no summands, placements are Shard or Replicate",
             "DTensor.from_local(x, mesh, [Partial()])")
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh or tensor.placements != placed:
            fail(ValueError, f"distribute_tensor: this is a DTensor already, under {tensor.placements}",
                 "x.redistribute(mesh, placements)")
        return tensor
    if not tensor.is_leaf:
        fail(RuntimeError, "`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!",
             "x.detach(), or DTensor.from_local for a computed part")
    with no_grad():
        whole = tensor.detach() if src_data_rank is None else whole_on_rank(tensor, mesh, src_data_rank)
        made = drawn(lambda shape: whole, Layout(mesh, placed, tensor.shape))
    return made.requires_grad_(tensor.requires_grad)


def distribute_module(module, device_mesh=None, partition_fn=None, input_fn=None, output_fn=None):
    """Spread a module's parameters and buffers: `partition_fn(name, module, mesh)` may replace some of a submodule, the
    others become replicated DTensors. input_fn(module, inputs, mesh) and output_fn(module, outputs, mesh) stand before
    and behind its forward.

    >>> import weft
    >>> from weft.distributed.tensor import distribute_module
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> distribute_module(weft.nn.Linear(3, 2), mesh).weight.placements
    (Replicate(),)
    >>> weft.distributed.destroy_process_group()
    """
    mesh = mesh_of(device_mesh, "distribute_module")
    if getattr(module, "_distribute_module_applied", False):
        fail(RuntimeError, "distribute_module should only be called once on a module, but it has already been called "
             "on this module!")
    for name, layer in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, layer, mesh)
        _rest_replicated(layer, mesh)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda m, given: input_fn(m, given, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda m, given, made: output_fn(m, made, mesh))
    module._distribute_module_applied = True
    return module


def _rest_replicated(layer, mesh):
    for name, p in layer._parameters.items():
        if p is not None and not isinstance(p, DTensor):
            layer.register_parameter(name, Parameter(distribute_tensor(p.detach(), mesh, replicated(mesh)),
                                                     requires_grad=p.requires_grad))
    for name, value in layer._buffers.items():
        if value is not None and not isinstance(value, DTensor):
            layer._buffers[name] = distribute_tensor(value.detach(), mesh, replicated(mesh))


def _layout(size, mesh, placements, who):
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    mesh = mesh_of(mesh, who)
    return Layout(mesh, placements_of(placements, mesh, len(size), who), size)


def _filled(name, what):
    def make(*size, requires_grad=False, dtype=None, layout=None, device_mesh=None, placements=None):
        spot = _layout(size, device_mesh, placements, name)
        return spread(FUNCTIONS[name](spot.own_part()[0], dtype=dtype), spot).requires_grad_(requires_grad)
    return _named(make, name, what)


def _random(name, what):
    def make(*size, requires_grad=False, dtype=None, layout=None, device_mesh=None, placements=None):
        spot = _layout(size, device_mesh, placements, name)
        return drawn(lambda shape: FUNCTIONS[name](shape, dtype=dtype), spot).requires_grad_(requires_grad)
    return _named(make, name, what)


def _named(make, name, what):
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"""A DTensor of {what}, of which every rank makes its part.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> weft.distributed.tensor.{name}(2, 3, device_mesh=mesh).shape
    torch.Size([2, 3])
    >>> weft.distributed.destroy_process_group()
    """
    return make


zeros, ones = _filled("zeros", "zeros"), _filled("ones", "ones")
empty = _filled("empty", "whatever is in memory")
rand, randn = _random("rand", "numbers from 0 to 1"), _random("randn", "normally distributed numbers")


def full(size, fill_value, *, dtype=None, layout=None, requires_grad=False, device_mesh=None, placements=None):
    """A DTensor of one value, of which every rank makes its part.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> weft.distributed.tensor.full((2,), 3.0, device_mesh=mesh).full_tensor()
    tensor([3., 3.])
    >>> weft.distributed.destroy_process_group()
    """
    spot = _layout((size,), device_mesh, placements, "full")
    return spread(FUNCTIONS["full"](spot.own_part()[0], fill_value, dtype=dtype), spot).requires_grad_(requires_grad)
