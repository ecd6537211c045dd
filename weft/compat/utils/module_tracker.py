"""torch.utils.module_tracker: which modules are running, by name."""
from weft.nn.module_hooks import register_module_forward_hook, register_module_forward_pre_hook


class ModuleTracker:
    """Inside `with`, `parents` holds the names of the modules whose forward is running, "Global" always among them.

    >>> import weft
    >>> from weft.utils.module_tracker import ModuleTracker
    >>> net = weft.nn.Sequential(weft.nn.ReLU())
    >>> tracker, seen = ModuleTracker(), []
    >>> handle = net[0].register_forward_pre_hook(lambda *_: seen.append(sorted(tracker.parents)))
    >>> with tracker:
    ...     _ = net(weft.ones(1))
    >>> seen
    [['Global', 'Sequential', 'Sequential.0']]
    """

    def __init__(self):
        self.parents, self._names, self._hooks = {"Global"}, {}, []

    def _name(self, module):
        if id(module) not in self._names:       # a new root: all that it holds is named after its class
            root = type(module).__name__
            for name, part in module.named_modules():
                self._names.setdefault(id(part), f"{root}.{name}" if name else root)
        return self._names[id(module)]

    @property
    def is_bw(self):
        """Whether a backward is running: the backward runs no module here."""
        return False

    def __enter__(self):
        self._hooks = [register_module_forward_pre_hook(lambda module, args: self.parents.add(self._name(module))),
                       register_module_forward_hook(
                           lambda module, args, out: self.parents.discard(self._name(module)), always_call=True)]
        return self

    def __exit__(self, *exc):
        for hook in self._hooks:
            hook.remove()
        self._hooks, self.parents = [], {"Global"}
