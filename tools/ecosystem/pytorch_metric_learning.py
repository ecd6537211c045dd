"""pytorch-metric-learning: losses on embeddings."""
# pip install pytorch-metric-learning
import torch
from pytorch_metric_learning import distances, losses, miners, reducers, samplers
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator


def _value(loss, *more):
    x = torch.randn(12, 6, generator=torch.Generator().manual_seed(1)).requires_grad_()
    value = loss(x, torch.arange(12) % 4, *more)
    value.backward()
    return value, x.grad


def all_losses():
    """16 losses: values and gradients"""
    plain = ("TripletMarginLoss", "ContrastiveLoss", "NTXentLoss", "SupConLoss", "CircleLoss", "MultiSimilarityLoss",
             "LiftedStructureLoss", "NPairsLoss", "AngularLoss", "FastAPLoss", "SignalToNoiseRatioContrastiveLoss",
             "TupletMarginLoss")
    classed = ("ArcFaceLoss", "CosFaceLoss", "ProxyAnchorLoss", "NormalizedSoftmaxLoss")
    return ({n: _value(getattr(losses, n)()) for n in plain},
            {n: _value(getattr(losses, n)(num_classes=4, embedding_size=6)) for n in classed})


def mining():
    """miners, distances, reducers, cross-batch memory, sampler, accuracy"""
    x, y = torch.randn(12, 6), torch.arange(12) % 4
    mined = [m(x, y) for m in (miners.TripletMarginMiner(0.2), miners.BatchHardMiner(), miners.MultiSimilarityMiner())]
    loss = losses.TripletMarginLoss(distance=distances.CosineSimilarity(), reducer=reducers.ThresholdReducer(low=0))
    memory = losses.CrossBatchMemory(losses.ContrastiveLoss(), 6, memory_size=20)
    kept = [memory(torch.randn(4, 6), torch.arange(4)) for _ in range(3)]
    order = list(samplers.MPerClassSampler(y.tolist(), 2, 8, 16))
    return mined, _value(loss, mined[0]), kept, [int(i) for i in order]


def accuracy():
    """`AccuracyCalculator` with torch's own nearest neighbours"""
    from pytorch_metric_learning.utils.inference import CustomKNN
    x, y = torch.randn(24, 6), torch.arange(24) % 4
    made = AccuracyCalculator(include=("precision_at_1", "r_precision", "mean_average_precision"), k=5,
                              knn_func=CustomKNN(distances.LpDistance()))
    return made.get_accuracy(x, y)
