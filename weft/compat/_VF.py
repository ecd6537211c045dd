"""torch._VF: the functions of torch by their names, for code that would otherwise be read as TorchScript."""
import weft


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(weft, name)
