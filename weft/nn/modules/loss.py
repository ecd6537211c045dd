"""Losses as layers."""
import warnings

import weft.nn.functional as F
from weft.core.namespace import parts
from weft.nn.module import Module
from weft.nn.modules.shaping import PairwiseDistance
from weft.ops.core.samples import built, data, fixed, floats, ints

__all__ = (
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss",
    "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
)


def reduction_of(size_average, reduce, reduction):
    """The reduction that the two old flags meant, if they were given."""
    if size_average is None and reduce is None:
        return reduction
    average, reduce = size_average is not False, reduce is not False
    found = ("mean" if average else "sum") if reduce else "none"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.",
                  stacklevel=4)
    return found


def _each_reduction(inputs):
    """Samples of a loss: one for each reduction."""
    return [((), {"reduction": reduction}, inputs) for reduction in ("none", "mean", "sum")]


class _Loss(Module):
    """A loss with the settings that its subclass names; called with the tensors that its function takes."""

    __constants__ = ["reduction"]
    _function = None

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)

    def forward(self, input, target):
        return type(self)._function(input, target, reduction=self.reduction)


class _WeightedLoss(_Loss):
    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """|x - y|.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.L1Loss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    _function = staticmethod(F.l1_loss)
    _samples = _each_reduction([(2, 3), (2, 3)])


class MSELoss(_Loss):
    """(x - y)**2.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.MSELoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    _function = staticmethod(F.mse_loss)
    _samples = _each_reduction([(2, 3), (2, 3)])


class SoftMarginLoss(_Loss):
    """log(1 + e**(-y x)).

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.SoftMarginLoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    _function = staticmethod(F.soft_margin_loss)
    _samples = _each_reduction([(2, 3), data([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])])


class MultiLabelMarginLoss(_Loss):
    """The hinge loss of several classes at once.

    Shape: (N, C) scores and (N, C) classes, -1 after the last; the result is a number, or (N,) for
    reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.MultiLabelMarginLoss()(weft.zeros(1, 3), weft.tensor([[0, 2, -1]])).shape
    torch.Size([])
    """
    _function = staticmethod(F.multilabel_margin_loss)
    _takes_half = False
    _samples = _each_reduction([(2, 3), data([[1, 2, -1], [0, -1, 2]])])


class NLLLoss(_WeightedLoss):
    """-log p of the right class, from log-probabilities.

    Shape: (N, C, ...) scores and (N, ...) classes; the result is a number, or (N, ...) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.NLLLoss()(weft.zeros(2, 3), weft.tensor([0, 2])).shape
    torch.Size([])
    """
    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), ints(2, below=3)]),
                ((fixed(3),), {"ignore_index": 2}, [(3, 3), data([0, 2, 1])]), ((), {}, [(3,), data(1)])]


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss for images.

    Shape: (N, C, H, W) and (N, H, W); the result is a number, or (N, H, W) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.NLLLoss2d()(weft.zeros(1, 3, 2, 2), weft.zeros(1, 2, 2, dtype=weft.long)).shape
    torch.Size([])
    """
    _samples = _each_reduction([(2, 3, 2, 1), ints(2, 2, 1, below=3)])


class CrossEntropyLoss(_WeightedLoss):
    """log_softmax and NLLLoss in one.

    Shape: (N, C, ...) scores and (N, ...) classes, or their probabilities (N, C, ...); the result is a number, or
    (N, ...) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.CrossEntropyLoss()(weft.zeros(2, 3), weft.tensor([0, 2])).shape
    torch.Size([])
    """
    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                 label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index,
                               reduction=self.reduction, label_smoothing=self.label_smoothing)

    _samples = [*_each_reduction([(2, 3), ints(2, below=3)]), ((), {}, [(2, 3, 2), fixed(2, 3, 2)]),
                ((fixed(3),), {"ignore_index": 2, "label_smoothing": 0.2}, [(3, 3), data([0, 2, 1])])]


class BCELoss(_WeightedLoss):
    """Binary cross-entropy of probabilities.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.BCELoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)

    _samples = [*_each_reduction([fixed(2, 3), fixed(2, 3)]), ((fixed(3),), {}, [floats(2, 3), fixed(2, 3)])]


class BCEWithLogitsLoss(_Loss):
    """sigmoid and BCELoss in one.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.BCEWithLogitsLoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight,
                                                  reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), fixed(2, 3)]),
                ((fixed(2, 3),), {"pos_weight": fixed(3)}, [(2, 3), fixed(2, 3)])]


class PoissonNLLLoss(_Loss):
    """The negative log-likelihood of counts.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.PoissonNLLLoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input, target):
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps,
                                  reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), fixed(2, 3)]),
                ((False, True), {"eps": 1e-4}, [floats(2, 2), data([[0.0, 1.0], [3.0, 5.0]])])]


class GaussianNLLLoss(_Loss):
    """The negative log-likelihood of normal numbers with given variances.

    Shape: the input, the target and the variances alike; the result is a number, or for reduction='none' that
    shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.GaussianNLLLoss()(weft.ones(2, 3), weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(None, None, reduction)
        self.full, self.eps = full, eps

    def forward(self, input, target, var):
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), (2, 3), floats(2, 3)]),
                ((), {"full": True, "eps": 1e-3}, [(2, 3), (2, 3), floats(2)])]


class KLDivLoss(_Loss):
    """The divergence of distributions, from log-probabilities.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.KLDivLoss(reduction="batchmean")(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)

    _samples = [*_each_reduction([(2, 3), fixed(2, 3)]),
                ((), {"reduction": "batchmean", "log_target": True}, [(2, 3), (2, 3)])]


class SmoothL1Loss(_Loss):
    """Squared near 0, absolute beyond beta.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.SmoothL1Loss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)

    _samples = [*_each_reduction([(2, 3), (2, 3)]), ((), {"beta": 0.3}, [(2, 3), (2, 3)])]


class HuberLoss(_Loss):
    """delta times SmoothL1Loss.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.HuberLoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction=reduction)
        if not isinstance(delta, (int, float)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        self.delta = delta

    def forward(self, input, target):
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)

    _samples = [*_each_reduction([(2, 3), (2, 3)]), ((), {"delta": 0.3}, [(2, 3), (2, 3)])]


class HingeEmbeddingLoss(_Loss):
    """x for pairs alike, max(0, margin - x) for others.

    Shape: the input and the target alike; the result is a number, or for reduction='none' that shape.

    >>> import weft
    >>> from weft import nn
    >>> nn.HingeEmbeddingLoss()(weft.ones(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """
    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), data([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])]),
                ((0.5,), {}, [(2, 3), data([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])])]


class CosineEmbeddingLoss(_Loss):
    """1 - cos for pairs alike, max(0, cos - margin) for others.

    Shape: (N, D), (N, D) and a target (N,) of 1 and -1; the result is a number, or (N,) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.CosineEmbeddingLoss()(weft.ones(2, 3), weft.ones(2, 3), weft.ones(2)).shape
    torch.Size([])
    """
    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), (2, 3), data([1, -1])]), ((0.1,), {}, [(2, 3), (2, 3), data([1, -1])]),
                ((), {}, [(3,), (3,), data(1)])]


class MarginRankingLoss(_Loss):
    """max(0, -y (x1 - x2) + margin).

    Shape: three of (N,), the target of 1 and -1; the result is a number, or (N,) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.MarginRankingLoss()(weft.ones(2), weft.zeros(2), weft.ones(2)).shape
    torch.Size([])
    """
    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)

    _samples = [*_each_reduction([(3,), (3,), data([1.0, -1.0, 1.0])]),
                ((0.3,), {}, [(3,), (3,), data([1.0, -1.0, -1.0])])]


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Binary cross-entropy of several classes at once.

    Shape: (N, C) and (N, C); the result is a number, or (N,) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.MultiLabelSoftMarginLoss()(weft.zeros(2, 3), weft.ones(2, 3)).shape
    torch.Size([])
    """

    def forward(self, input, target):
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), data([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])]),
                ((fixed(3),), {}, [(2, 3), fixed(2, 3)])]


class MultiMarginLoss(_WeightedLoss):
    """The hinge loss of one class among several.

    Shape: (N, C) scores and (N,) classes; the result is a number, or (N,) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.MultiMarginLoss()(weft.zeros(2, 3), weft.tensor([0, 2])).shape
    torch.Size([])
    """
    __constants__ = ["p", "margin", "reduction"]
    _takes_half = False

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p, self.margin = p, margin

    def forward(self, input, target):
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight,
                                   reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), ints(2, below=3)]), ((2, 0.5, fixed(3)), {}, [(2, 3), ints(2, below=3)]),
                ((), {}, [(3,), data(1)])]


class TripletMarginLoss(_Loss):
    """The anchor nearer to the positive than to the negative, by a margin.

    Shape: three of (N, D); the result is a number, or (N,) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.TripletMarginLoss()(weft.ones(2, 3), weft.ones(2, 3), weft.zeros(2, 3)).shape
    torch.Size([])
    """
    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps,
                                     swap=self.swap, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), (2, 3), (2, 3)]),
                ((0.5,), {"p": 3.0, "swap": True}, [(2, 3), (2, 3), (2, 3)])]


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a distance of one's own.

    Shape: three of (N, D); the result is a number, or (N,) for reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.TripletMarginWithDistanceLoss()(weft.ones(2, 3), weft.ones(2, 3), weft.zeros(2, 3)).shape
    torch.Size([])
    """
    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} "
                             f"instead")
        if distance_function is None:
            distance_function = PairwiseDistance()
        self.distance_function, self.margin, self.swap = distance_function, margin, swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_with_distance_loss(anchor, positive, negative,
                                                   distance_function=self.distance_function, margin=self.margin,
                                                   swap=self.swap, reduction=self.reduction)

    _samples = [*_each_reduction([(2, 3), (2, 3), (2, 3)]),
                ((),
                 {"distance_function": built(lambda torch: torch.nn.PairwiseDistance(3.0)), "margin": 0.5,
                  "swap": True}, [(2, 3), (2, 3), (2, 3)])]


_log_probabilities = built(lambda torch: torch.arange(24.0, dtype=torch.float64).sin().reshape(4, 2, 3).log_softmax(-1))


class CTCLoss(_Loss):
    """Unaligned sequences: the probability of all alignments of the targets.

    Shape: log-probabilities (T, N, C), targets (N, S), lengths (N,) and (N,); the result is a number, or (N,) for
    reduction='none'.

    >>> import weft
    >>> from weft import nn
    >>> nn.CTCLoss()(weft.zeros(4, 1, 3), weft.tensor([[1, 2]]), weft.tensor([4]), weft.tensor([2])).shape
    torch.Size([])
    """
    __constants__ = ["blank", "reduction"]
    _takes_half = False

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
                          self.zero_infinity)

    _samples = [*_each_reduction([_log_probabilities, data([[1, 2], [2, 1]]), data([4, 3]), data([2, 1])]),
                ((2,), {"zero_infinity": True}, [_log_probabilities, data([1, 1, 0]), data([4, 2]), data([2, 1])])]


__getattr__, __dir__ = parts(globals(), functions={"_Reduction": "weft.nn._reduction",
                                                   "LinearCrossEntropyLoss": "weft.nn.modules.linear_loss"})
