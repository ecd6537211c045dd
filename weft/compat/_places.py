"""Where PyTorch keeps what stands in another file here: so a class says, in a process in which torch is weft, the
place under which PyTorch finds it, and a pickle of the one is read by the other.
"""
# (weft's module, PyTorch's): the classes; tests/compare/test_pickles_torch.py looks whether any is left out
_TABLE = {
    ("", "autograd.grad_mode"):
        "enable_grad inference_mode no_grad set_grad_enabled",
    ("", "storage"):
        "TypedStorage UntypedStorage",
    ("core.dtype", ""):
        "_LazyBFloat16 _LazyFloat8",
    ("autograd.anomaly", "autograd.anomaly_mode"):
        "detect_anomaly set_detect_anomaly",
    ("autograd.api", "autograd.graph"):
        "GradientEdge",
    ("autograd.graph", "utils.hooks"):
        "RemovableHandle",
    ("autograd.graph_api", "autograd.graph"):
        "save_on_cpu saved_tensors_hooks",
    ("core.futures", "futures"):
        "Future",
    ("core.ranges", "autograd.profiler"):
        "record_function",
    ("distributions.composed", "distributions.gumbel"):
        "Gumbel",
    ("distributions.composed", "distributions.independent"):
        "Independent",
    ("distributions.composed", "distributions.log_normal"):
        "LogNormal",
    ("distributions.composed", "distributions.mixture_same_family"):
        "MixtureSameFamily",
    ("distributions.composed", "distributions.pareto"):
        "Pareto",
    ("distributions.composed", "distributions.transformed_distribution"):
        "TransformedDistribution",
    ("distributions.composed", "distributions.weibull"):
        "Weibull",
    ("distributions.continuous", "distributions.cauchy"):
        "Cauchy",
    ("distributions.continuous", "distributions.exponential"):
        "Exponential",
    ("distributions.continuous", "distributions.laplace"):
        "Laplace",
    ("distributions.continuous", "distributions.normal"):
        "Normal",
    ("distributions.continuous", "distributions.uniform"):
        "Uniform",
    ("distributions.discrete", "distributions.bernoulli"):
        "Bernoulli",
    ("distributions.discrete", "distributions.binomial"):
        "Binomial",
    ("distributions.discrete", "distributions.categorical"):
        "Categorical",
    ("distributions.discrete", "distributions.geometric"):
        "Geometric",
    ("distributions.discrete", "distributions.multinomial"):
        "Multinomial",
    ("distributions.discrete", "distributions.negative_binomial"):
        "NegativeBinomial",
    ("distributions.discrete", "distributions.one_hot_categorical"):
        "OneHotCategorical OneHotCategoricalStraightThrough",
    ("distributions.discrete", "distributions.poisson"):
        "Poisson",
    ("distributions.distribution", "distributions.exp_family"):
        "ExponentialFamily",
    ("distributions.gammas", "distributions.beta"):
        "Beta",
    ("distributions.gammas", "distributions.chi2"):
        "Chi2",
    ("distributions.gammas", "distributions.dirichlet"):
        "Dirichlet",
    ("distributions.gammas", "distributions.fishersnedecor"):
        "FisherSnedecor",
    ("distributions.gammas", "distributions.gamma"):
        "Gamma",
    ("distributions.gammas", "distributions.studentT"):
        "StudentT",
    ("distributions.halves", "distributions.half_cauchy"):
        "HalfCauchy",
    ("distributions.halves", "distributions.half_normal"):
        "HalfNormal",
    ("distributions.multivariate", "distributions.multivariate_normal"):
        "MultivariateNormal",
    ("distributions.relaxed", "distributions.relaxed_bernoulli"):
        "RelaxedBernoulli",
    ("distributions.relaxed", "distributions.relaxed_categorical"):
        "RelaxedOneHotCategorical",
    ("distributions.transform", "distributions.transforms"):
        "CatTransform ComposeTransform IndependentTransform ReshapeTransform StackTransform "
        "Transform",
    ("fx.codegen", "fx.graph"):
        "CodeGen",
    ("io.options", "serialization"):
        "LoadEndianness set_default_mmap_options",
    ("io.safe", "serialization"):
        "safe_globals",
    ("nn.module", "nn.modules.module"):
        "Module",
    ("nn.modules.attention", "nn.modules.activation"):
        "MultiheadAttention",
    ("nn.modules.attention", "nn.modules.transformer"):
        "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
        "TransformerEncoderLayer",
    ("nn.modules.embedding", "nn.modules.sparse"):
        "Embedding EmbeddingBag",
    ("nn.modules.lazy", "nn.modules.batchnorm"):
        "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d",
    ("nn.modules.lazy", "nn.modules.conv"):
        "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d "
        "LazyConvTranspose3d",
    ("nn.modules.lazy", "nn.modules.instancenorm"):
        "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d",
    ("nn.modules.lazy", "nn.modules.linear"):
        "LazyLinear",
    ("nn.modules.linear_loss", "nn.modules.linear_cross_entropy_options"):
        "LinearCrossEntropyOptions",
    ("nn.modules.linear_loss", "nn.modules.loss"):
        "LinearCrossEntropyLoss",
    ("nn.modules.norm", "nn.modules.batchnorm"):
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
    ("nn.modules.norm", "nn.modules.instancenorm"):
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    ("nn.modules.norm", "nn.modules.normalization"):
        "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    ("nn.modules.shaping", "nn.modules.channelshuffle"):
        "ChannelShuffle",
    ("nn.modules.shaping", "nn.modules.distance"):
        "CosineSimilarity PairwiseDistance",
    ("nn.modules.shaping", "nn.modules.flatten"):
        "Flatten Unflatten",
    ("nn.modules.shaping", "nn.modules.fold"):
        "Fold Unfold",
    ("nn.modules.shaping", "nn.modules.padding"):
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
        "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
        "ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    ("nn.modules.shaping", "nn.modules.pixelshuffle"):
        "PixelShuffle PixelUnshuffle",
    ("nn.modules.shaping", "nn.modules.upsampling"):
        "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    ("optim.adafactor", "optim"):
        "Adafactor",
    ("optim.lr_scheduler.base", "optim.lr_scheduler"):
        "LRScheduler",
    ("optim.lr_scheduler.cosine", "optim.lr_scheduler"):
        "CosineAnnealingLR CosineAnnealingWarmRestarts",
    ("optim.lr_scheduler.cycles", "optim.lr_scheduler"):
        "CyclicLR OneCycleLR",
    ("optim.lr_scheduler.factors", "optim.lr_scheduler"):
        "ConstantLR ExponentialLR LinearLR MultiStepLR PolynomialLR StepLR",
    ("optim.lr_scheduler.functions", "optim.lr_scheduler"):
        "LambdaLR MultiplicativeLR",
    ("optim.lr_scheduler.plateau", "optim.lr_scheduler"):
        "ReduceLROnPlateau",
    ("optim.lr_scheduler.together", "optim.lr_scheduler"):
        "ChainedScheduler SequentialLR",
    ("optim.muon", "optim"):
        "Muon",
    ("profiler.events", "autograd.profiler_util"):
        "EventList FunctionEvent",
    ("profiler.schedules", "profiler.profiler"):
        "ProfilerAction",
    ("quasirandom.sobol", "quasirandom"):
        "SobolEngine",
    ("utils.data.loader", "utils.data.dataloader"):
        "DataLoader",
    ("utils.tensorboard.events", "utils.tensorboard.writer"):
        "FileWriter",
}
PLACES = {(f"torch.{own}".rstrip("."), name): f"torch.{place}".rstrip(".") for (own, place), names in _TABLE.items()
          for name in names.split()}
