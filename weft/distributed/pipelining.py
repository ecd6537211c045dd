"""A model in stages, one on each rank, through which a batch goes in micro-batches."""
from weft.autograd.api import backward
from weft.core.modes import no_grad
from weft.distributed import points
from weft.distributed.groups import group_or_world
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor

__all__ = ["PipelineStage", "ScheduleGPipe", "Schedule1F1B"]


class PipelineStage:
    """This rank's part of a model: it gets its inputs from the stage before and gives its outputs to the next one.

    >>> import weft
    >>> from weft.distributed.pipelining import PipelineStage
    >>> weft.distributed.init_process_group("gloo")
    >>> stage = PipelineStage(weft.nn.Linear(2, 1), 0, 1, "cpu")
    >>> stage.is_first, stage.is_last
    (True, True)
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, submodule, stage_index, num_stages, device=None, input_args=None, output_args=None, group=None,
                 dw_builder=None):
        self.submod, self.stage_index, self.num_stages, self.device = submodule, stage_index, num_stages, device
        self.group = group_or_world(group)
        if num_stages != self.group.size() or stage_index != self.group.rank():
            raise ValueError(f"PipelineStage: stage {stage_index} of {num_stages} on rank {self.group.rank()} of "
                             f"{self.group.size()}\n  fix: one stage on each rank, in their order")
        self.is_first, self.is_last = stage_index == 0, stage_index == num_stages - 1
        self._sending = []

    def _take(self):
        """The inputs from the stage before."""
        told, made = [None], []
        points.recv_object_list(told, group=self.group, group_src=self.stage_index - 1)
        for shape, dtype, wanted in told[0]:
            t = FUNCTIONS["empty"](shape, dtype=dtype)
            points.recv(t, group=self.group, group_src=self.stage_index - 1)
            made.append(t.requires_grad_(wanted))
        return made

    def _give(self, outputs):
        """The outputs to the next stage, which is told their shapes and types first."""
        forms = [(tuple(t.shape), t.dtype, t.requires_grad) for t in outputs]
        points.send_object_list([forms], group=self.group, group_dst=self.stage_index + 1)
        for t in outputs:
            self._sending.append(points.isend(t.detach(), group=self.group, group_dst=self.stage_index + 1))

    def _take_grads(self, outputs):
        grads = []
        for t in outputs:
            if t.requires_grad:
                grads.append(FUNCTIONS["empty"](t.shape, dtype=t.dtype))
                points.recv(grads[-1], group=self.group, group_src=self.stage_index + 1)
        return grads

    def _give_grads(self, inputs):
        for t in inputs:
            if t.requires_grad:
                grad = FUNCTIONS["zeros"](t.shape, dtype=t.dtype) if t.grad is None else t.grad
                self._sending.append(points.isend(grad, group=self.group, group_dst=self.stage_index - 1))

    def _settle(self):
        for work in self._sending:
            work.wait()
        self._sending.clear()


class _Schedule:
    """Runs a batch through the stages; the subclasses say in which order this rank works."""

    def __init__(self, stage, n_microbatches, loss_fn=None, args_chunk_spec=None, kwargs_chunk_spec=None,
                 output_merge_spec=None, scale_grads=True):
        if args_chunk_spec or kwargs_chunk_spec or output_merge_spec:
            raise NotImplementedError("weft's pipelines cut and join along the first dimension\n"
                                      "  fix: leave the specs out")
        self._stage, self._n, self._loss_fn, self._scale = stage, n_microbatches, loss_fn, scale_grads

    def step(self, *args, target=None, losses=None, **kwargs):
        """One batch: the first stage gives it, the last one its target; the last one's outputs come back, joined.

        >>> import weft
        >>> from weft.distributed.pipelining import PipelineStage, ScheduleGPipe
        >>> weft.distributed.init_process_group("gloo")
        >>> stage = PipelineStage(weft.nn.Linear(2, 1), 0, 1)
        >>> schedule = ScheduleGPipe(stage, 2, loss_fn=weft.nn.functional.mse_loss)
        >>> schedule.step(weft.ones(4, 2), target=weft.ones(4, 1)).shape
        torch.Size([4, 1])
        >>> weft.distributed.destroy_process_group()
        """
        return self._run(args, target, losses, kwargs, learn=self._loss_fn is not None)

    def _run(self, args, target, losses, kwargs, learn):
        stage, n = self._stage, self._n
        self._inputs, self._outputs, self._losses = [None] * n, [None] * n, [None] * n
        self._batches = self._cut(args) if stage.is_first else None
        self._kwargs = kwargs
        self._targets = self._cut((target,)) if stage.is_last and target is not None else None
        if stage.is_last and learn and target is None:
            raise ValueError("a pipeline's last stage needs target= for its loss")
        before = [p.grad for p in stage.submod.parameters()]
        for p in stage.submod.parameters() if self._scale and learn else ():
            p.grad = None
        for kind, i in self.order(n, stage.stage_index, stage.num_stages):
            if kind == "F":
                self._forward(i)
            elif learn:
                self._backward(i)
        stage._settle()
        if learn:
            self._finish_grads(before)
        if losses is not None and stage.is_last and self._targets is not None:
            losses[:] = [loss.detach() for loss in self._losses]
        made, self._inputs, self._outputs = self._made, None, None
        return FUNCTIONS["cat"](made) if stage.is_last else None

    def eval(self, *args, target=None, losses=None, **kwargs):
        """The same without gradients.

        >>> import weft
        >>> from weft.distributed.pipelining import PipelineStage, ScheduleGPipe
        >>> weft.distributed.init_process_group("gloo")
        >>> ScheduleGPipe(PipelineStage(weft.nn.Linear(2, 1), 0, 1), 2).eval(weft.ones(4, 2)).shape
        torch.Size([4, 1])
        >>> weft.distributed.destroy_process_group()
        """
        with no_grad():
            return self._run(args, target, losses, kwargs, learn=False)

    def _cut(self, args):
        parts = [a.tensor_split(self._n) if isinstance(a, Tensor) else [a] * self._n for a in args]
        if any(isinstance(a, Tensor) and a.shape[0] % self._n for a in args):
            raise ValueError(f"a pipeline's batch must be divisible by its {self._n} micro-batches")
        return list(zip(*parts))

    def _forward(self, i):
        stage = self._stage
        if i == 0:
            self._made = []
        inputs = self._batches[i] if stage.is_first else stage._take()
        made = stage.submod(*inputs, **self._kwargs)
        outputs = list(made) if isinstance(made, (tuple, list)) else [made]
        self._inputs[i], self._outputs[i] = inputs, outputs
        if stage.is_last:
            self._made.append(outputs[0].detach())
            if self._loss_fn is not None and self._targets is not None:
                self._losses[i] = self._loss_fn(made, *self._targets[i])
        else:
            stage._give(outputs)

    def _backward(self, i):
        stage = self._stage
        if stage.is_last:
            self._losses[i].backward()
        else:
            wanted = [t for t in self._outputs[i] if t.requires_grad]
            if wanted:
                backward(wanted, stage._take_grads(wanted))
        if not stage.is_first:
            stage._give_grads(self._inputs[i])
        self._inputs[i] = self._outputs[i] = None

    def _finish_grads(self, before):
        """The mean over micro-batches, added to what was there."""
        if not self._scale:
            return
        with no_grad():
            for p, old in zip(self._stage.submod.parameters(), before):
                if p.grad is not None:
                    p.grad.div_(self._n)
                    if old is not None:
                        p.grad.add_(old)
                else:
                    p.grad = old


class ScheduleGPipe(_Schedule):
    """All micro-batches forward, then all backward.

    >>> from weft.distributed.pipelining import ScheduleGPipe
    >>> ScheduleGPipe.order(2, 0, 2)
    [('F', 0), ('F', 1), ('B', 0), ('B', 1)]
    """

    @staticmethod
    def order(n, stage, stages):
        """What a stage does: ('F' or 'B', micro-batch).

        >>> from weft.distributed.pipelining import ScheduleGPipe
        >>> ScheduleGPipe.order(1, 0, 1)
        [('F', 0), ('B', 0)]
        """
        return [("F", i) for i in range(n)] + [("B", i) for i in range(n)]


class Schedule1F1B(_Schedule):
    """One forward, one backward in turn, once the pipeline is full: fewer activations are kept.

    >>> from weft.distributed.pipelining import Schedule1F1B
    >>> Schedule1F1B.order(3, 0, 2)
    [('F', 0), ('F', 1), ('B', 0), ('F', 2), ('B', 1), ('B', 2)]
    """

    @staticmethod
    def order(n, stage, stages):
        """What a stage does: ('F' or 'B', micro-batch).

        >>> from weft.distributed.pipelining import Schedule1F1B
        >>> Schedule1F1B.order(2, 1, 2)
        [('F', 0), ('B', 0), ('F', 1), ('B', 1)]
        """
        ahead = min(n, stages - stage)
        made = [("F", i) for i in range(ahead)]
        for i in range(n):
            made.append(("B", i))
            if i + ahead < n:
                made.append(("F", i + ahead))
        return made
