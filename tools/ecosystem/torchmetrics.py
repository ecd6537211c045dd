"""torchmetrics: classification, regression, text, pictures, audio."""
# pip install torchmetrics
import torch
from torchmetrics import MeanMetric, MetricCollection, MetricTracker, classification, regression, retrieval
from torchmetrics import functional as F


def classes():
    """12 classification metrics over three batches: accuracy, F1, AUROC, confusion, calibration, ..."""
    made = MetricCollection({name: getattr(classification, "Multiclass" + name)(num_classes=4) for name in (
        "Accuracy", "F1Score", "AUROC", "ConfusionMatrix", "CalibrationError", "Precision", "Recall", "JaccardIndex",
        "CohenKappa", "MatthewsCorrCoef", "AveragePrecision", "StatScores")})
    for _ in range(3):
        made.update(torch.randn(20, 4).softmax(-1), torch.randint(0, 4, (20,)))
    return dict(made.compute())


def binary():
    """binary and multilabel: ROC, precision-recall curve, hinge, ranking"""
    p, t = torch.rand(30), torch.randint(0, 2, (30,))
    many, labels = torch.rand(10, 5), torch.randint(0, 2, (10, 5))
    return (classification.BinaryROC()(p, t), classification.BinaryPrecisionRecallCurve(thresholds=5)(p, t),
            classification.BinaryHingeLoss()(p, t), classification.MultilabelAveragePrecision(5)(many, labels),
            classification.MultilabelRankingLoss(5)(many, labels), classification.BinaryFBetaScore(0.5)(p, t))


def numbers():
    """regression: MSE, MAE, R2, Pearson, Spearman, Kendall, explained variance, cosine, KL"""
    a, b = torch.randn(25), torch.randn(25)
    found = {n: getattr(regression, n)()(a, b) for n in (
        "MeanSquaredError", "MeanAbsoluteError", "R2Score", "PearsonCorrCoef", "SpearmanCorrCoef",
        "KendallRankCorrCoef", "ExplainedVariance", "LogCoshError", "ConcordanceCorrCoef")}
    return found, F.cosine_similarity(a[None], b[None]), F.kl_divergence(a[None].softmax(-1), b[None].softmax(-1))


def pictures():
    """pictures: SSIM, MS-SSIM, PSNR, total variation, UQI; audio: SI-SDR, SNR"""
    a, b = torch.rand(2, 3, 48, 48), torch.rand(2, 3, 48, 48)
    s, t = torch.randn(2, 2000), torch.randn(2, 2000)
    image = F.image
    return (image.structural_similarity_index_measure(a, b, data_range=1.0),
            image.peak_signal_noise_ratio(a, b, data_range=1.0),
            image.total_variation(a), image.universal_image_quality_index(a, b),
            image.spectral_angle_mapper(a, b), F.audio.scale_invariant_signal_distortion_ratio(s, t),
            F.audio.signal_noise_ratio(s, t), F.audio.signal_distortion_ratio(s, t))


def texts():
    """text: BLEU, word and character errors, edit distance, perplexity"""
    said, meant = ["the cat is on the mat", "hello there"], [["a cat is on the mat"], ["hello here"]]
    flat = [m[0] for m in meant]
    return (F.text.bleu_score(said, meant), F.text.word_error_rate(said, flat), F.text.char_error_rate(said, flat),
            F.text.edit_distance(said, flat), F.text.perplexity(torch.randn(2, 5, 7), torch.randint(0, 7, (2, 5))))


def keeping():
    """`MetricTracker`, aggregation, retrieval, `state_dict`, `reset`, arithmetic of metrics"""
    tracker = MetricTracker(classification.BinaryAccuracy(), maximize=True)
    for _ in range(3):
        tracker.increment()
        tracker.update(torch.rand(10), torch.randint(0, 2, (10,)))
    best = tracker.best_metric(return_step=True)
    mean = MeanMetric()
    mean.persistent(True)
    mean.update(torch.tensor([1.0, 2.0, float("nan")]).nan_to_num(3.0))
    again = MeanMetric()
    again.persistent(True)
    again.load_state_dict(mean.state_dict())
    both = classification.BinaryPrecision() + classification.BinaryRecall()
    both.update(torch.rand(10), torch.randint(0, 2, (10,)))
    found = retrieval.RetrievalMAP()(torch.rand(12), torch.randint(0, 2, (12,)), torch.arange(12) // 4)
    return best, tracker.compute_all(), again.compute(), both.compute(), found
