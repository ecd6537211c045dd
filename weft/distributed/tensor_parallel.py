"""Layers whose weights are spread over the ranks of a mesh: a Linear or Embedding cut by columns or rows.

All ranks run the same program on the same inputs and compute the same loss, of which a gradient counts once. So what
copies a tensor to all ranks sums the gradients in the backward, and what sums over the ranks passes the gradient on.
"""
import fnmatch

from weft.autograd.function import Function
from weft.distributed import collectives
from weft.distributed.placements import Replicate, Shard
from weft.nn.modules.embedding import Embedding
from weft.nn.modules.linear import Linear
from weft.nn.parameter import Parameter
from weft.tensor.names import FUNCTIONS

__all__ = ["ColwiseParallel", "RowwiseParallel", "ParallelStyle", "parallelize_module"]


class _Copy(Function):
    """The same tensor on all ranks; gradients are summed."""
    @staticmethod
    def forward(ctx, group, x):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_out):
        return None, _Total.apply(ctx.group, grad_out)


class _Total(Function):
    """The sum over all ranks; the gradient goes to each."""
    @staticmethod
    def forward(ctx, group, x):
        ctx.group = group
        made = x.detach().clone()
        collectives.all_reduce(made, group=group)
        return made

    @staticmethod
    def backward(ctx, grad_out):
        return None, _Copy.apply(ctx.group, grad_out)


class _Join(Function):
    """All ranks' parts, one after the other along a dimension; the gradient's part comes back."""
    @staticmethod
    def forward(ctx, group, dim, x):
        ctx.group, ctx.dim = group, dim
        parts = [FUNCTIONS["empty"](x.shape, dtype=x.dtype) for _ in range(group.size())]
        collectives.all_gather(parts, x.detach(), group)
        return FUNCTIONS["cat"](parts, dim)

    @staticmethod
    def backward(ctx, grad_out):
        return None, None, _Cut.apply(ctx.group, ctx.dim, grad_out)


class _Cut(Function):
    """This rank's part along a dimension; gradients are joined."""
    @staticmethod
    def forward(ctx, group, dim, x):
        ctx.group, ctx.dim = group, dim
        return part(x.detach(), dim, group).clone()

    @staticmethod
    def backward(ctx, grad_out):
        return None, None, _Join.apply(ctx.group, ctx.dim, grad_out.contiguous())


def part(tensor, dim, group):
    """This rank's part of a tensor; the dimension must divide."""
    n = tensor.shape[dim]
    if n % group.size():
        raise ValueError(f"tensor parallel: a dimension of {n} can't be divided among {group.size()} ranks")
    each = n // group.size()
    return tensor.narrow(dim, group.rank() * each, each)


def whole_input(x, layout, group):
    """The input on all ranks, from how it is spread."""
    if layout.is_shard():
        return _Join.apply(group, layout.dim, x.contiguous())
    if layout.is_replicate():
        return x
    raise NotImplementedError(f"tensor parallel: input_layouts={layout}\n  fix: Replicate() or Shard(dim)")


class ParallelStyle:
    """How a module is spread; `parallelize_module` applies it.

    >>> import weft
    >>> issubclass(weft.distributed.tensor_parallel.ColwiseParallel, weft.distributed.tensor_parallel.ParallelStyle)
    True
    """

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        if not use_local_output:
            raise NotImplementedError("weft has no DTensor, so outputs are plain tensors\n  fix: use_local_output=True")
        self.input_layouts = self.start if input_layouts is None else input_layouts
        self.output_layouts = self.end if output_layouts is None else output_layouts


class ColwiseParallel(ParallelStyle):
    """A Linear whose outputs, or an Embedding whose features, are spread: each rank computes its part of them.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = weft.distributed.tensor_parallel.ColwiseParallel()
    >>> net = weft.distributed.tensor_parallel.parallelize_module(weft.nn.Linear(4, 2), mesh, style)
    >>> net(weft.ones(1, 4)).shape
    torch.Size([1, 2])
    >>> weft.distributed.destroy_process_group()
    """
    start, end = Replicate(), Shard(-1)

    def apply(self, module, group):
        """Cut the module's parameters, and wrap its forward.

        >>> import weft
        >>> weft.distributed.tensor_parallel.ColwiseParallel().apply(weft.nn.ReLU(), None)
        Traceback (most recent call last):
        NotImplementedError: ColwiseParallel takes a Linear or an Embedding, not ReLU
        """
        if isinstance(module, Linear):
            cut(module, "weight", 0, group)
            cut(module, "bias", 0, group)
            module.out_features //= group.size()
        elif isinstance(module, Embedding):
            cut(module, "weight", 1, group)
            module.embedding_dim //= group.size()
        else:
            raise NotImplementedError(f"ColwiseParallel takes a Linear or an Embedding, not {type(module).__name__}")
        plain = module.forward

        def forward(x):
            x = whole_input(x, self.input_layouts, group)
            made = plain(_Copy.apply(group, x) if x.requires_grad else x)
            return self._spread(made, group)
        module.forward = forward

    def _spread(self, made, group):
        out = self.output_layouts
        if out.is_replicate():
            return _Join.apply(group, -1, made.contiguous())
        if out.is_shard() and out.dim in (-1, made.dim() - 1):
            return made
        raise NotImplementedError(f"ColwiseParallel: output_layouts={out}\n  fix: Shard(-1) or Replicate()")


class RowwiseParallel(ParallelStyle):
    """A Linear whose inputs, or an Embedding whose words, are spread: the ranks' results are summed.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> style = weft.distributed.tensor_parallel.RowwiseParallel()
    >>> net = weft.distributed.tensor_parallel.parallelize_module(weft.nn.Linear(4, 2), mesh, style)
    >>> net(weft.ones(1, 4)).shape
    torch.Size([1, 2])
    >>> weft.distributed.destroy_process_group()
    """
    start, end = Shard(-1), Replicate()

    def apply(self, module, group):
        """Cut the module's parameters, and wrap its forward.

        >>> import weft
        >>> weft.distributed.tensor_parallel.RowwiseParallel().apply(weft.nn.ReLU(), None)
        Traceback (most recent call last):
        NotImplementedError: RowwiseParallel takes a Linear or an Embedding, not ReLU
        """
        if not self.output_layouts.is_replicate() and not self.output_layouts.is_shard():
            raise NotImplementedError(f"RowwiseParallel: output_layouts={self.output_layouts}\n  fix: Replicate()")
        if isinstance(module, Linear):
            cut(module, "weight", 1, group)
            module.in_features //= group.size()
            forward = self._linear(module, group)
        elif isinstance(module, Embedding):
            if module.max_norm is not None or module.padding_idx is not None:
                raise NotImplementedError("RowwiseParallel: an Embedding with padding_idx or max_norm")
            cut(module, "weight", 0, group)
            module.num_embeddings //= group.size()
            forward = self._embedding(module, group)
        else:
            raise NotImplementedError(f"RowwiseParallel takes a Linear or an Embedding, not {type(module).__name__}")
        module.forward = forward

    def _finish(self, summed, group):
        out = self.output_layouts
        return summed if out.is_replicate() else _Cut.apply(group, out.dim, summed)

    def _linear(self, module, group):
        def forward(x):
            if self.input_layouts.is_replicate():
                x = _Cut.apply(group, -1, x)
            summed = _Total.apply(group, FUNCTIONS["nn.functional.linear"](x, module.weight))
            return self._finish(summed if module.bias is None else summed + module.bias, group)
        return forward

    def _embedding(self, module, group):
        def forward(words):
            first = group.rank() * module.num_embeddings
            own = (words >= first) & (words < first + module.num_embeddings)
            found = FUNCTIONS["nn.functional.embedding"]((words - first) * own, module.weight)
            return self._finish(_Total.apply(group, found * own.unsqueeze(-1).to(found.dtype)), group)
        return forward


def cut(module, name, dim, group):
    """Keep this rank's part of a parameter."""
    whole = getattr(module, name)
    if whole is not None:
        made = Parameter(part(whole.detach(), dim, group).clone(), requires_grad=whole.requires_grad)
        setattr(module, name, made)


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    """Spread a module's layers over a mesh of one dimension: a style for the module itself, or {path: style} for its
    layers, in which `*` stands for any name. All ranks' parameters become rank 0's first.

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
    from weft.distributed.data_parallel import spread  # needed only for several ranks
    group = device_mesh.get_group()
    if group.size() > 1 and src_data_rank is not None:
        spread([*module.parameters(), *module.buffers()], group, src_data_rank)
    if parallelize_plan is None:
        raise ValueError("parallelize_module: a parallelize_plan is needed, a style or {path: style}")
    plan = {"": parallelize_plan} if isinstance(parallelize_plan, ParallelStyle) else parallelize_plan
    for pattern, style in plan.items():
        found = [m for name, m in module.named_modules() if fnmatch.fnmatchcase(name, pattern)
                 and name.count(".") == pattern.count(".")]
        if not found:
            raise ValueError(f"parallelize_module: no layer is called {pattern!r}")
        for layer in found:
            style.apply(layer, group)
    return module
