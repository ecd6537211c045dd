"""Layers whose weights are spread over the ranks of a mesh: a Linear or Embedding cut by columns or rows, layers that
work on parts of a sequence, and what brings a module's inputs and outputs into the form that it wants. All of it is
DTensors.
"""
import contextlib
import fnmatch
import warnings

from weft.core.errors import fail
from weft.distributed.dtensor.layout import mesh_of
from weft.distributed.dtensor.make import distribute_module, distribute_tensor
from weft.distributed.dtensor.tensor import DTensor
from weft.distributed.placements import Replicate, Shard
from weft.nn.modules.embedding import Embedding
from weft.nn.modules.linear import Linear
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

__all__ = ["ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput",
           "RowwiseParallel", "SequenceParallel", "loss_parallel", "parallelize_module"]


def arranged(value, now, wanted, mesh, local=False):
    """A tensor that is spread as `now` says (a plain one is this rank's part), spread as `wanted` says; None for either
    leaves it alone. local: give this rank's part.
    """
    if isinstance(value, Tensor) and now is not None:
        value = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, [now])
        value = value if wanted is None else value.redistribute(mesh, [wanted])
    return value.to_local() if local and isinstance(value, DTensor) else value


class ParallelStyle:
    """How a module is spread; `parallelize_module` calls its `_apply(module, device_mesh)`.

    >>> import weft
    >>> issubclass(weft.distributed.tensor_parallel.ColwiseParallel, weft.distributed.tensor_parallel.ParallelStyle)
    True
    """
    src_data_rank = 0

    def _apply(self, module, device_mesh):
        fail(NotImplementedError, f"{type(self).__name__} doesn't say how a module is spread", "give it _apply")

    def _replace(self, module, mesh, placements):
        """Spread a layer's own parameters: {name: placement}."""
        for name, p in list(module._parameters.items()):
            if p is not None and not isinstance(p, DTensor):
                made = distribute_tensor(p.detach(), mesh, [placements.get(name, Replicate())],
                                         src_data_rank=self.src_data_rank)
                module.register_parameter(name, Parameter(made, requires_grad=p.requires_grad))


class _Cut(ParallelStyle):
    """A Linear or Embedding whose weight is cut; the classes below say along which dimensions."""

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        self.input_layouts = (self.start if input_layouts is None else input_layouts,)
        self.output_layouts = (self.end if output_layouts is None else output_layouts,)
        self.use_local_output = use_local_output

    def _apply(self, module, device_mesh):
        kind = next((kind for kind in self.cuts if isinstance(module, kind)), None)
        if kind is None:
            fail(NotImplementedError, f"{type(self).__name__} takes a Linear or an Embedding, not "
                 f"{type(module).__name__}", "spread it with distribute_module", at="")
        placements, wanted = self.cuts[kind]

        def before(module, inputs, mesh):
            return (arranged(inputs[0], self.input_layouts[0], wanted, mesh), *inputs[1:])

        def after(module, made, mesh):
            return arranged(made, Replicate(), self.output_layouts[0], mesh, self.use_local_output)
        return distribute_module(module, device_mesh, lambda name, layer, mesh: self._replace(layer, mesh, placements),
                                 before, after)


class ColwiseParallel(_Cut):
    """A Linear whose outputs, or an Embedding whose features, are spread: each rank computes its part of them.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = weft.distributed.tensor_parallel.ColwiseParallel()
    >>> net = weft.distributed.tensor_parallel.parallelize_module(weft.nn.Linear(4, 2), mesh, style)
    >>> net(weft.ones(1, 4)).shape, net.weight.placements
    (torch.Size([1, 2]), (Shard(dim=0),))
    >>> weft.distributed.destroy_process_group()
    """
    start, end = Replicate(), Shard(-1)
    cuts = {Linear: ({"weight": Shard(0), "bias": Shard(0)}, Replicate()),
            Embedding: ({"weight": Shard(1)}, Replicate())}


class RowwiseParallel(_Cut):
    """A Linear whose inputs, or an Embedding whose words, are spread: the ranks' results are summed.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = weft.distributed.tensor_parallel.RowwiseParallel()
    >>> net = weft.distributed.tensor_parallel.parallelize_module(weft.nn.Linear(4, 2), mesh, style)
    >>> net(weft.ones(1, 4)).shape, net.weight.placements
    (torch.Size([1, 2]), (Shard(dim=1),))
    >>> weft.distributed.destroy_process_group()
    """
    start, end = Shard(-1), Replicate()
    cuts = {Linear: ({"weight": Shard(1)}, Shard(-1)), Embedding: ({"weight": Shard(0)}, Replicate())}


class SequenceParallel(ParallelStyle):
    """A LayerNorm, RMSNorm or Dropout that works on this rank's part of a sequence; its parameters are on all ranks.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = weft.distributed.tensor_parallel.SequenceParallel()
    >>> net = weft.distributed.tensor_parallel.parallelize_module(weft.nn.LayerNorm(4), mesh, style)
    >>> net(weft.ones(2, 3, 4)).placements
    (Shard(dim=1),)
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, *, sequence_dim=1, use_local_output=False):
        self.sequence_sharding, self.use_local_output = (Shard(sequence_dim),), use_local_output

    def _apply(self, module, device_mesh):
        part = self.sequence_sharding[0]
        return distribute_module(
            module, device_mesh, lambda name, layer, mesh: self._replace(layer, mesh, {}),
            lambda module, inputs, mesh: (arranged(inputs[0], part, part, mesh), *inputs[1:]),
            lambda module, made, mesh: arranged(made, None, None, mesh, self.use_local_output))


def listed(layouts):
    """Layouts as programs give them, one or several, as a tuple; None stays None."""
    return layouts if layouts is None or isinstance(layouts, tuple) else \
        tuple(layouts) if isinstance(layouts, list) else (layouts,)


def pairs(now, wanted, who):
    if wanted is None or len(now) != len(wanted):
        fail(AssertionError, f"{who}: there must be as many desired layouts as layouts", "give one for each", at="")
    return list(zip(now, wanted))


class PrepareModuleInput(ParallelStyle):
    """Inputs, by position or by name, as a module wants them: from input_layouts to desired_input_layouts.

    >>> import weft
    >>> from weft.distributed.tensor import Replicate, Shard
    >>> from weft.distributed.tensor.parallel import PrepareModuleInput, parallelize_module
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = PrepareModuleInput(input_layouts=Shard(0), desired_input_layouts=Replicate())
    >>> parallelize_module(weft.nn.ReLU(), mesh, style)(weft.ones(2)).placements
    (Replicate(),)
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None,
                 desired_input_kwarg_layouts=None, use_local_output=False):
        self.input_layouts, self.desired_input_layouts = listed(input_layouts), listed(desired_input_layouts)
        self.use_local_output = use_local_output
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        if self.input_layouts is not None:
            pairs(self.input_layouts, self.desired_input_layouts, "PrepareModuleInput")
        pairs(self.input_kwarg_layouts, self.desired_input_kwarg_layouts, "PrepareModuleInput's names")

    def _apply(self, module, device_mesh):
        def before(module, inputs, kwargs):
            if self.input_layouts is not None:
                if len(inputs) != len(self.input_layouts):
                    fail(ValueError, "module inputs and input_layouts should have same length!",
                         "give None for an input that stays as it is")
                inputs = tuple([arranged(x, now, wanted, device_mesh, self.use_local_output and now is not None)
                                for x, now, wanted in zip(inputs, self.input_layouts, self.desired_input_layouts)])
            named = {name: arranged(x, self.input_kwarg_layouts[name], self.desired_input_kwarg_layouts.get(name),
                                    device_mesh, self.use_local_output) if name in self.input_kwarg_layouts else x
                     for name, x in kwargs.items()}
            return inputs, named
        module.register_forward_pre_hook(before, with_kwargs=True)
        return module


class PrepareModuleOutput(ParallelStyle):
    """Outputs as those who come next want them: from output_layouts to desired_output_layouts.

    >>> import weft
    >>> from weft.distributed.tensor import Replicate, Shard
    >>> from weft.distributed.tensor.parallel import PrepareModuleOutput, parallelize_module
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate())
    >>> parallelize_module(weft.nn.ReLU(), mesh, style)(weft.ones(2))
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output=True):
        self.output_layouts, self.desired_output_layouts = listed(output_layouts), listed(desired_output_layouts)
        self.use_local_output = use_local_output
        pairs(self.output_layouts, self.desired_output_layouts, "PrepareModuleOutput")

    def _apply(self, module, device_mesh):
        def after(module, inputs, made):
            several = made if isinstance(made, (tuple, list)) else (made,)
            if len(several) != len(self.output_layouts):
                fail(ValueError, "module outputs and output_layouts should have same length!",
                     "give None for an output that stays as it is")
            found = tuple([arranged(x, now, wanted, device_mesh, self.use_local_output)
                           for x, now, wanted in zip(several, self.output_layouts, self.desired_output_layouts)])
            return found if isinstance(made, (tuple, list)) else found[0]
        module.register_forward_hook(after)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """Both: a module's inputs and outputs.

    >>> import weft
    >>> from weft.distributed.tensor import Replicate, Shard
    >>> from weft.distributed.tensor.parallel import PrepareModuleInputOutput, parallelize_module
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = PrepareModuleInputOutput(input_layouts=Shard(0), desired_input_layouts=Replicate(),
    ...                                  output_layouts=Replicate(), desired_output_layouts=Shard(0))
    >>> parallelize_module(weft.nn.ReLU(), mesh, style)(weft.ones(2))
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None,
                 desired_input_kwarg_layouts=None, use_local_input=False, output_layouts, desired_output_layouts,
                 use_local_output=True):
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts, desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input)
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts, desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output)

    def _apply(self, module, device_mesh):
        return self.prepare_module_output._apply(self.prepare_module_input._apply(module, device_mesh), device_mesh)


@contextlib.contextmanager
def loss_parallel():
    """A region in which `cross_entropy` takes logits that are cut along the classes. It does so everywhere in weft: the
    logits of all classes are brought together for it.

    >>> import weft
    >>> with weft.distributed.tensor_parallel.loss_parallel():
    ...     pass
    """
    yield


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    """Spread a module's layers over a mesh of one dimension: a style for the module itself, or {path: style} for its
    layers, in which `*` stands for any name. All ranks' parameters become those of the mesh's first rank.

    >>> import weft
    >>> from weft.distributed.tensor_parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    >>> weft.distributed.init_process_group("gloo")
    >>> net = weft.nn.Sequential(weft.nn.Linear(4, 8), weft.nn.ReLU(), weft.nn.Linear(8, 2))
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> net = parallelize_module(net, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    >>> net(weft.ones(1, 4)).shape
    torch.Size([1, 2])
    >>> weft.distributed.destroy_process_group()
    """
    mesh = mesh_of(device_mesh, "parallelize_module")
    if mesh.ndim != 1:
        fail(ValueError, f"parallelize_module: a mesh of {mesh.ndim} dimensions", 'one of them: mesh["tp"]')
    if parallelize_plan is None:
        warnings.warn("No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
                      "parallelize_module call will do nothing.", stacklevel=2)
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        fail(TypeError, "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
             f"{type(parallelize_plan)} found!", "{path: style}")
    for path, style in parallelize_plan.items():
        layers = [module]
        for token in path.split(".") if path else ():
            layers = [child for layer in layers for name, child in layer.named_children()
                      if fnmatch.fnmatch(name, token)]
            if not layers:
                warnings.warn(f"Parallelize plan key '{path}' could not be resolved: no submodule matching token "
                              f"'{token}', skipping this plan entry.", stacklevel=2)
                break
        for layer in layers:
            parallelize_module(layer, mesh, style, src_data_rank=src_data_rank)
    return module
