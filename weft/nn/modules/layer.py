"""Layers without parameters: a function of nn.functional and its settings, one line each."""
import inspect

from weft.nn.module import Module

REQUIRED = inspect.Parameter.empty


class FunctionLayer(Module):
    """Calls `function` with the input and the settings, which are attributes and may be changed."""

    _function = None
    _settings = ()          # names, in the order in which the function takes them
    _shown = None           # names shown in the repr; None: all
    _training = None        # the setting's name under which the function takes self.training

    def __init__(self, *args, **kwargs):
        super().__init__()
        try:
            bound = type(self).__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def _eval_differs(self):
        return self._training is not None

    def forward(self, input):
        return self._applied(input)

    def _applied(self, *inputs):
        settings = {name: getattr(self, name) for name in self._settings}
        if self._training:
            settings[self._training] = self.training
        return type(self)._function(*inputs, **settings)

    def extra_repr(self):
        names = self._settings if self._shown is None else self._shown
        shown = [f"{name}={getattr(self, name)!r}" for name in names if name != "inplace"]
        if "inplace" in names and (self._shown is not None or self.inplace):
            shown.append(f"inplace={self.inplace}")
        return ", ".join(shown)


class PairLayer(FunctionLayer):
    """The same with two inputs."""

    def forward(self, x1, x2):
        return self._applied(x1, x2)


SAME = "any; the result has the input's."


def example(name, sample, gives=None):
    """A doctest of a layer's sample, whose result has the size `gives`: that of the first input, if not given."""
    args, keywords, inputs = sample
    made = ", ".join([*map(repr, args), *[f"{key}={value!r}" for key, value in keywords.items()]])
    given = ", ".join([f"weft.zeros({', '.join(map(str, size))})" for size in inputs])
    return f">>> import weft\n>>> weft.nn.{name}({made})({given}).shape\ntorch.Size({list(gives or inputs[0])})\n"


def layer(name, function, doc, samples, training=None, shown=None, module=None, shape=SAME, gives=None, **settings):
    """A FunctionLayer class of a function and its settings with their defaults; `samples` become its `_samples`, the
    first one the docstring's example, after the shapes.
    """
    doc = f"{doc}\n\nShape: {shape}\n\n{example(name, samples[0], gives)}"
    parameters = [inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
                  for key, default in settings.items()]
    kind = PairLayer if len(samples[0][2]) == 2 else FunctionLayer
    return type(name, (kind,), {
        "__doc__": doc, "__module__": module, "_function": staticmethod(function), "_settings": tuple(settings),
        "_training": training, "_shown": shown, "_samples": samples, "__constants__": list(settings),
        "__signature__": inspect.Signature(parameters),
        "forward": direct_forward(name, function, ("x1, x2" if kind is PairLayer else "input"), settings, training)})


def direct_forward(name, function, inputs, settings, training):
    """`forward` as one would write it by hand, `return function(input, slope=self.slope)`: a small layer is called
    often, and collecting its settings costs more than what it does. Without `inplace` the function takes its short
    road.
    """
    given = [inputs, *[f"{key}=self.{key}" for key in settings if key != "inplace"]]
    if training:
        given.append(f"{training}=self.training")
    lines = [f"def forward(self, {inputs}):"]
    if "inplace" in settings:
        lines += ["    if self.inplace:", f"        return function({', '.join(given)}, inplace=self.inplace)"]
    lines.append(f"    return function({', '.join(given)})")
    scope = {"function": function}
    exec(compile("\n".join(lines), __file__, "exec"), scope)
    scope["forward"].__qualname__ = f"{name}.forward"
    return scope["forward"]
