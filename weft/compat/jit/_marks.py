"""The marks that decorators leave on a function: @jit.export, @jit.ignore, @jit.unused, @jit.script_method."""

MARK = "_torchscript_modifier"          # PyTorch's name for it


def mark(function, how):
    """Note how a function is to be scripted; it comes back."""
    try:
        setattr(function, MARK, how)
    except AttributeError:      # a builtin
        pass
    return function


def is_exported(function):
    """Whether it is part of a saved module besides forward."""
    return getattr(function, MARK, None) in ("export", "script_method")


def is_ignored(function):
    """Whether it stays Python, so that it can't be saved."""
    return getattr(function, MARK, None) == "ignore"


def is_dropped(function):
    """Whether it is left out of a saved module: calling it there is an error."""
    return getattr(function, MARK, None) == "unused"


def plain_function(value):
    """The Python function in a static or class method, a scripted or marked function, or the value itself."""
    while True:
        held = isinstance(value, (staticmethod, classmethod))
        inner = value.__func__ if held else getattr(value, "_torchscript_function", None)
        if inner is None:
            return value
        value = inner
