"""Which models there are, how they are made, and where their weights come from."""
import enum
import os
import sys
from typing import Any, NamedTuple

import weft
from weft.vision.models._weights import TABLE

BUILDERS = {}           # name -> function
PLACES = {}             # name -> the package that it is listed under
WEIGHTS = {}            # name -> class of its weights


class Weights(NamedTuple):
    """A file of weights: its name, how its pictures are prepared, what is known of it.

    >>> import weft
    >>> weft.vision.models.ResNet18_Weights.DEFAULT.value.url
    'resnet18-f37072fd.pth'
    """
    url: str                # the file's name; weft downloads nothing
    transforms: Any         # makes the transform
    meta: dict


class WeightsEnum(enum.Enum):
    """The files of weights that a model has.

    >>> import weft
    >>> weft.vision.models.ResNet18_Weights.DEFAULT is weft.vision.models.ResNet18_Weights.IMAGENET1K_V1
    True
    """

    @classmethod
    def verify(cls, obj):
        """A member from one, from its name, or from the path of a file (which stays as it is).

        >>> import weft
        >>> weft.vision.models.ResNet18_Weights.verify("IMAGENET1K_V1")
        ResNet18_Weights.IMAGENET1K_V1
        """
        if obj is None or isinstance(obj, cls):
            return obj
        if isinstance(obj, str):
            name = obj.replace(cls.__name__ + ".", "")
            if name in cls.__members__:
                return cls[name]
        if isinstance(obj, (str, os.PathLike)) and os.path.exists(obj):
            return obj
        raise TypeError(f"{cls.__name__} has no {obj!r}\n  fix: give one of {', '.join(cls.__members__)}, or the path "
                        "of a file")

    def get_state_dict(self, *args, **kwargs):
        """The weights, from a file of that name in WEFT_WEIGHTS, or where PyTorch keeps them.

        >>> import weft
        >>> weft.vision.models.ResNet18_Weights.DEFAULT.get_state_dict()        # doctest: +SKIP
        """
        return load_file(find_file(self.url))

    @property
    def url(self):
        """The file's name.

        >>> import weft
        >>> weft.vision.models.ResNet18_Weights.DEFAULT.url
        'resnet18-f37072fd.pth'
        """
        return self.value.url

    @property
    def transforms(self):
        """Makes the transform of pictures that goes with the weights.

        >>> import weft
        >>> weft.vision.models.ResNet18_Weights.DEFAULT.transforms()(weft.rand(3, 250, 250)).shape
        torch.Size([3, 224, 224])
        """
        return self.value.transforms

    @property
    def meta(self):
        """What is known of the weights.

        >>> import weft
        >>> weft.vision.models.ResNet18_Weights.DEFAULT.meta["num_classes"]
        1000
        """
        return self.value.meta

    def __repr__(self):
        return f"{type(self).__name__}.{self.name}"


def folders():
    """Where files of weights are looked for."""
    found = [os.environ["WEFT_WEIGHTS"]] if "WEFT_WEIGHTS" in os.environ else []
    home = os.environ.get("TORCH_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME") or
                                                        os.path.expanduser("~/.cache"), "torch")
    return [*found, os.path.join(home, "hub", "checkpoints")]


def find_file(name):
    for folder in folders():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"the weights {name} are not here, and weft doesn't download them\n  fix: put the file "
                            f"into {folders()[-1]} or into the folder that WEFT_WEIGHTS names, give weights=<path of a "
                            "file>, or leave weights out for random ones")


def load_file(path):
    loaded = weft.load(path, map_location="cpu", weights_only=True)
    return loaded["model"] if isinstance(loaded, dict) and "model" in loaded and "epoch" in loaded else loaded


def weights_class(name):
    """The enum of a model's files, from the table."""
    from weft.vision.transforms import _presets
    title, classes, default, rows = TABLE[name]
    members = {}
    for member, file, preset in rows:
        members[member] = Weights(file, _presets.preset(preset), {"num_classes": classes})
    members["DEFAULT"] = members[default]
    made = WeightsEnum(title, members)
    made.__module__ = "weft.vision.models"
    return made


def builder(name, make, sentence, parameters, hidden=()):
    """A function that makes a model, registered by its name. make(**kwargs) gives the model; parameters: how many."""
    def function(*, weights=None, progress=True, **kwargs):
        chosen = choose(name, weights, kwargs)
        if isinstance(chosen, WeightsEnum):
            own(kwargs, "num_classes", chosen.meta["num_classes"])
        model = make(loaded=chosen is not None, **kwargs) if "loaded" in hidden else make(**kwargs)
        if chosen is not None:
            model.load_state_dict(state_of(chosen))
        return model

    return register(function, name, sentence, parameters, sys._getframe(1).f_globals["__name__"])


def register(function, name, sentence, parameters, module):
    """Give a builder its name and its words, and put it into the table."""
    place = {"segmentation": ".segmentation", "detection": ".detection"}.get(module.split(".")[3], "")
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = f"""{sentence}

    It has {parameters:,} parameters unless arguments say otherwise. weights: None for random ones, a member of
    {TABLE[name][0]} or its name, or the path of a file; other arguments go to the class.

    >>> import weft
    >>> weft.vision.models{place}.{name} is weft.vision.models.get_model_builder("{name}")
    True
    """
    BUILDERS[name], PLACES[name] = function, module.rpartition(".")[0]
    return function


def choose(name, weights, kwargs):
    """The weights that are meant, also by `pretrained=True` of older programs."""
    if "pretrained" in kwargs:
        weights = "DEFAULT" if kwargs.pop("pretrained") else None
    if weights is None:
        return None
    return get_model_weights(name).verify(weights)


def state_of(chosen):
    return chosen.get_state_dict() if isinstance(chosen, WeightsEnum) else load_file(chosen)


def own(kwargs, name, value):
    """An argument that the weights decide."""
    if kwargs.get(name, value) != value:
        raise ValueError(f"{name} = {kwargs[name]}, but these weights have {value}\n  fix: leave it out, and exchange "
                         "the last layer afterwards")
    kwargs[name] = value


# what users call

def list_models(module=None, include=None, exclude=None):
    """The names of all models, or those of a module; include and exclude are patterns like "resnet*".

    >>> import weft
    >>> weft.vision.models.list_models(include="vgg1?")
    ['vgg11', 'vgg13', 'vgg16', 'vgg19']
    """
    import fnmatch  # only here
    _load_all()
    names = {n for n in BUILDERS if module is None or PLACES[n] == module.__spec__.name}

    def matching(patterns):
        patterns = [patterns] if isinstance(patterns, str) else patterns
        return {n for n in names for p in patterns if fnmatch.fnmatch(n, p)}

    if include:
        names = matching(include)
    return sorted(names - (matching(exclude) if exclude else set()))


def _load_all():
    import weft.vision.models.detection
    import weft.vision.models.segmentation  # noqa: F401


def get_model_builder(name):
    """The function that makes a model.

    >>> import weft
    >>> weft.vision.models.get_model_builder("resnet18").__name__
    'resnet18'
    """
    _load_all()
    if name.lower() not in BUILDERS:
        from weft.core.namespace import nearest
        raise ValueError(f"there is no model {name!r}{nearest(name.lower(), BUILDERS)}\n  fix: list_models() lists "
                         "them")
    return BUILDERS[name.lower()]


def get_model(name, **config):
    """A model by its name; config goes to its builder.

    >>> import weft
    >>> model = weft.vision.models.get_model("squeezenet1_1", num_classes=3)
    >>> model(weft.rand(1, 3, 64, 64)).shape
    torch.Size([1, 3])
    """
    return get_model_builder(name)(**config)


def get_model_weights(name):
    """The enum of a model's files of weights, by its name or its builder.

    >>> import weft
    >>> list(weft.vision.models.get_model_weights("resnet50"))
    [ResNet50_Weights.IMAGENET1K_V1, ResNet50_Weights.IMAGENET1K_V2]
    """
    name = name.__name__ if callable(name) else name.lower()
    if name not in TABLE:
        raise ValueError(f"{name!r} has no weights that weft knows of\n  fix: give weights=<path of a file>")
    if name not in WEIGHTS:
        WEIGHTS[name] = weights_class(name)
    return WEIGHTS[name]


def get_weight(name):
    """A member by its full name.

    >>> import weft
    >>> weft.vision.models.get_weight("ResNet50_Weights.IMAGENET1K_V1")
    ResNet50_Weights.IMAGENET1K_V1
    """
    title, _, member = name.partition(".")
    model = next((n for n, row in TABLE.items() if row[0] == title), None)
    if model is None or member not in get_model_weights(model).__members__:
        raise ValueError(f"there are no weights {name!r}\n  fix: get_model_weights(<model>) has a model's")
    return get_model_weights(model)[member]


def weights_by_title(name):
    """For a module's __getattr__: ResNet18_Weights and the like."""
    model = next((n for n, row in TABLE.items() if row[0] == name), None)
    return None if model is None else get_model_weights(model)
