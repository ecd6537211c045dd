"""A softmax over many classes that spends its work on the frequent ones."""
from collections import namedtuple

import weft.nn.functional as F
from weft.nn.module import Module
from weft.nn.modules.container import ModuleList, Sequential
from weft.nn.modules.linear import Linear
from weft.ops.core.samples import data
from weft.tensor.names import FUNCTIONS

__all__ = ("AdaptiveLogSoftmaxWithLoss",)

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of classes sorted by frequency: the first ones, and one for each cluster of rarer ones, in the
    head; a cluster's own classes, through a projection that is narrower from cluster to cluster, in its tail. Called
    with (N, in_features) and (N,) targets: (log-probability of each target, their negative mean).

    Shape: (N, in_features) and classes (N,) -> (N,) log-probabilities and the loss, a number.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3])(weft.zeros(2, 4), weft.tensor([1, 5]))[0].shape
    torch.Size([2])
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (any(int(c) != c for c in cutoffs) or cutoffs != sorted(set(cutoffs)) or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1")
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        where = dict(device=device, dtype=dtype)
        self.head = Linear(in_features, self.head_size, bias=head_bias, **where)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(self._clusters()):
            width = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(Linear(in_features, width, bias=False, **where),
                                        Linear(width, high - low, bias=False, **where)))

    def _clusters(self):
        """(first class, last class + 1) of each cluster."""
        return list(zip(self.cutoffs, self.cutoffs[1:]))

    def _reads_values(self):
        return True         # which classes are rare

    def reset_parameters(self):
        """As Linear layers.

        >>> import weft
        >>> head = weft.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3])
        >>> head.reset_parameters()
        >>> bool(head.head.weight.abs().max() <= 0.5)
        True
        """
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def forward(self, input_, target_):
        self._check(input_, target_)
        single = target_.dim() == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        head = F.log_softmax(self.head(input), dim=1)
        column = target.clone()             # of the head: the class, or its cluster
        rows, parts = [], []
        for i, (low, high) in enumerate(self._clusters()):
            inside = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if inside.numel():
                own = F.log_softmax(self.tail[i](input.index_select(0, inside)), dim=1)
                rows.append(inside)
                parts.append(own.gather(1, (target[inside] - low).unsqueeze(1)).squeeze(1))
                column.index_fill_(0, inside, self.shortlist_size + i)
        output = head.gather(1, column.unsqueeze(1)).squeeze(1)
        if rows:
            output = output.index_add(0, FUNCTIONS["cat"](rows), FUNCTIONS["cat"](parts))
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)

    def _check(self, input, target):
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if input.dim() != target.dim() + 1:
            raise RuntimeError(f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found "
                               f"inputs with size {input.size()}")
        if target.dim() and input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if target.numel() and not (target.min() >= 0 and target.max() < self.n_classes):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")

    def log_prob(self, input):
        """(N, n_classes): the log-probabilities of all classes.

        >>> import weft
        >>> head = weft.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3])
        >>> head.log_prob(weft.ones(2, 4)).shape
        torch.Size([2, 10])
        """
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, :self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            parts.append(F.log_softmax(tail(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return FUNCTIONS["cat"](parts, 1)

    def predict(self, input):
        """(N,): the most probable class; all are looked at only where a cluster wins in the head.

        >>> import weft
        >>> head = weft.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3])
        >>> head.predict(weft.ones(2, 4)).shape
        torch.Size([2])
        """
        output = self.head(input).argmax(dim=1)
        rare = output >= self.shortlist_size
        if rare.any():
            output[rare] = self.log_prob(input[rare]).argmax(dim=1)
        return output

    _samples = [((4, 6, [2, 4]), {"div_value": 2.0}, [(3, 4), data([0, 3, 5])]),
                ((4, 5, [3]), {"head_bias": True, "div_value": 2.0}, [(4,), data(4)])]
