"""What a file of PyTorch imports from its other files, and programs then import from there:
`from torch.nn.modules.conv import Module`, `torch.utils.data.dataloader.RandomSampler`. `import torch` (_torch.py) lets
weft's modules find these; nothing is loaded before it is asked for.
"""
import importlib

LAYERS = "Tensor Module Parameter F init torch UninitializedParameter UninitializedBuffer LazyModuleMixin"
OPTIMIZERS = "Tensor Optimizer ParamsT torch"
NAMES = {       # module: names that it finds in PLACES
    **{f"torch.nn.modules.{name}": LAYERS for name in
       ("activation adaptive batchnorm channelshuffle container conv distance dropout embedding flatten fold "
        "instancenorm linear loss normalization padding pixelshuffle pooling rnn sparse transformer upsampling"
        ).split()},
    **{f"torch.optim.{name}": OPTIMIZERS for name in
       ("adadelta adafactor adagrad adam adamax adamw asgd lbfgs nadam radam rmsprop rprop sgd sparse_adam").split()},
    "torch.optim.lr_scheduler": "Tensor Optimizer torch inf",
    "torch.optim.optimizer": "Tensor RemovableHandle torch",
    "torch.nn.init": "Tensor torch", "torch.functional": "Tensor torch boolean_dispatch",
    "torch.nn.utils.weight_norm": "Module Parameter _weight_norm", "torch.nn.utils.spectral_norm": "Module",
    "torch.utils.data.dataloader": "BatchSampler Dataset ExceptionWrapper IterableDataset RandomSampler Sampler "
                                   "SequentialSampler torch",
    "torch.utils.data.dataset": "Tensor Generator default_generator randperm torch",
    "torch.utils.data.distributed": "Dataset Sampler torch", "torch.utils.data.sampler": "torch",
    "torch.distributions.kl": "Distribution Tensor inf torch",
    "torch.distributions.transforms": "Distribution lazy_property pad torch",
    "torch.utils.checkpoint": "TorchDispatchMode tree_map torch",
    "torch.autograd.gradcheck": "is_tensor_like vmap torch", "torch.storage": "Storage torch",
}
PLACES = {"F": "weft.nn.functional", "init": "weft.nn.init", "torch": "weft",        # modules
          "Tensor": "weft:Tensor", "Generator": "weft:Generator", "randperm": "weft:randperm",
          "default_generator": "weft:default_generator", "Storage": "weft:Storage", "inf": "weft:inf",
          "vmap": "weft:vmap", "Module": "weft.nn:Module", "Parameter": "weft.nn:Parameter",
          "UninitializedParameter": "weft.nn.parameter:UninitializedParameter",
          "UninitializedBuffer": "weft.nn.parameter:UninitializedBuffer",
          "LazyModuleMixin": "weft.nn.modules.lazy:LazyModuleMixin", "Optimizer": "weft.optim:Optimizer",
          "ParamsT": "weft.optim.optimizer:ParamsT", "RemovableHandle": "weft.utils.hooks:RemovableHandle",
          "boolean_dispatch": "weft.nn.functional:boolean_dispatch", "_weight_norm": "weft:_weight_norm",
          "ExceptionWrapper": "weft._utils:ExceptionWrapper", "Distribution": "weft.distributions:Distribution",
          "lazy_property": "weft.distributions.utils:lazy_property", "pad": "weft.nn.functional:pad",
          "TorchDispatchMode": "weft.utils._python_dispatch:TorchDispatchMode",
          "tree_map": "weft.utils._pytree:tree_map", "is_tensor_like": "weft.overrides:is_tensor_like",
          **{name: f"weft.utils.data:{name}" for name in
             "BatchSampler Dataset IterableDataset RandomSampler Sampler SequentialSampler".split()}}


def reexport(module, name):
    """Let a module, whose name in torch is given, find what PyTorch's file of that name imports."""
    names = frozenset(NAMES.get(name, "").split())
    if not names:
        return
    before = vars(module).get("__getattr__")

    def __getattr__(asked):
        if asked in names:
            place, _, own = PLACES[asked].partition(":")
            found = importlib.import_module(place)
            return getattr(found, own) if own else found
        if before is not None:
            return before(asked)
        raise AttributeError(f"module '{module.__name__}' has no attribute '{asked}'")
    module.__getattr__ = __getattr__
