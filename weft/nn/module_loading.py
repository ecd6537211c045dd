"""`Module.load_state_dict`: everything is checked first, then written; what doesn't fit is told at once and leaves the
module as it was.

Modules put their writes into a journal, which is played when all is well. A class that overrides
`_load_from_state_dict` may look at its parameters after calling super(), so there the writes are made at once, and
taken back should something turn out wrong.
"""
import difflib
import warnings
from collections import OrderedDict, namedtuple

from weft.core.errors import where
from weft.core.modes import no_grad
from weft.core.place import here
from weft.core.settings import settings
from weft.nn.parameter import Parameter
from weft.tensor.swap import swap_tensors
from weft.tensor.tensor import Tensor

EXTRA = "_extra_state"
ORIGINAL = "_orig_mod."
SHOWN = 40          # lines of mismatches in an error
NAMES_SHOWN = 20    # names that are missing or too much in it


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict found to be missing or too much."""

    def __repr__(self):
        return ("<All keys matched successfully>" if not self.missing_keys and not self.unexpected_keys
                else super().__repr__())

    __str__ = __repr__


class Journal(list):
    """The errors found so far; with the writes that wait, and how to take back those that were made."""

    def __init__(self):
        super().__init__()
        self.waiting, self.undo, self.assigned = [], [], {}
        self.at_once = False

    def write(self, step, restore):
        """Do a step now or later. `restore()` gives the function that takes it back."""
        if self.at_once:
            self.undo.append(restore())
            step()
        else:
            self.waiting.append((step, restore))

    def play(self, undoable):
        """Make the waiting writes."""
        for step, restore in self.waiting:
            if undoable:
                self.undo.append(restore())
            step()
        self.waiting.clear()

    def take_back(self):
        """Undo all writes, the last one first."""
        while self.undo:
            self.undo.pop()()


def load_state_dict(self, state_dict, strict=True, assign=False):
    """Copy parameters and buffers from a state_dict. All that doesn't fit is told at once, and then nothing is changed.


    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> layer.load_state_dict(weft.nn.Linear(2, 1).state_dict())
    <All keys matched successfully>
    """
    if not hasattr(state_dict, "items"):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    notes = getattr(state_dict, "_metadata", None)
    state, notes = _as_named_here(self, OrderedDict(state_dict), notes)
    if notes is not None:
        state._metadata = notes
    missing, unexpected, errors = [], [], Journal()
    try:
        modules = _load_tree(self, state, notes, assign, missing, unexpected, errors)
        if not errors:
            hooked = [m for m in modules if m._load_state_dict_post_hooks]
            if hooked or not (strict and (missing or unexpected)):
                errors.play(undoable=bool(hooked))
                _run_post_hooks(hooked, _IncompatibleKeys(missing, unexpected))
    except BaseException:
        errors.take_back()
        raise
    if errors or strict and (missing or unexpected):
        errors.take_back()
        raise RuntimeError(_report(self, state_dict, missing if strict else [], unexpected if strict else [], errors))
    return _IncompatibleKeys(missing, unexpected)


def _as_named_here(root, state, notes):
    """The keys of a data-parallel model begin with `module.`; they load into the bare one, and the other way round.
    PyTorch writes `_orig_mod.` into those of compiled modules, wherever in the tree they are.
    """
    if any([ORIGINAL in key for key in state if isinstance(key, str)]) and not any(
            ["_orig_mod" in module._modules for module in root.modules()]):
        state = OrderedDict([(key.replace(ORIGINAL, "") if isinstance(key, str) else key, value)
                             for key, value in state.items()])
        notes = notes and {(key + ".").replace(ORIGINAL, "")[:-1]: value for key, value in notes.items()}
    wraps = getattr(root, "_wraps", False)
    wrapped = [key.startswith("module.") for key in state if isinstance(key, str)]
    if wraps and wrapped and not any(wrapped):
        names = [("module." + key, value) for key, value in state.items()]
        notes = notes and {("module." + key if key else "module"): value for key, value in notes.items()}
    elif not wraps and wrapped and all(wrapped) and "module" not in root._modules:
        names = [(key.removeprefix("module."), value) for key, value in state.items()]
        notes = notes and {key.removeprefix("module").removeprefix("."): value for key, value in notes.items() if key}
    else:
        return state, notes
    return OrderedDict(names), notes


def _load_tree(root, state, notes, assign, missing, unexpected, errors):
    """Let every module load its part; the modules, children before parents."""
    waiting = [(root, "", state)]
    done = []
    while waiting:
        module, prefix, own = waiting.pop()
        local = {} if notes is None else notes.get(prefix[:-1], {})
        if assign:
            local["assign_to_params_buffers"] = assign
        errors.at_once = not getattr(type(module)._load_from_state_dict, "only_renames", False)
        module._load_from_state_dict(own, prefix, local, True, missing, unexpected, errors)
        below = []
        for name, child in module._modules.items():
            if child is not None:
                start = prefix + name + "."
                below.append((child, start, {k: v for k, v in own.items() if k.startswith(start)}))
        waiting.extend(reversed(below))
        done.append(module)
    done.reverse()
    return done


def _run_post_hooks(modules, found):
    for module in modules:
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, found) is not None:
                raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                                     "return new values, if incompatible_keys need to be modified, it should be done "
                                     "inplace.")


# one module

def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
    """Load this module's own entries; those of its children are loaded by the children."""
    for hook in self._load_state_dict_pre_hooks.values():
        hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    journal = error_msgs if isinstance(error_msgs, Journal) else None
    assign = local_metadata.get("assign_to_params_buffers", False)
    buffers = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
    own = {k: v for k, v in [*self._parameters.items(), *buffers.items()] if v is not None}
    for name, value in own.items():
        key = prefix + name
        if key in state_dict:
            _load_one(self, name, key, value, state_dict[key], assign, error_msgs, journal)
        elif strict:
            missing_keys.append(key)
    extra = prefix + EXTRA
    if getattr(type(self).set_extra_state, "is_default", False):
        if strict and extra in state_dict:
            unexpected_keys.append(extra)
    elif extra in state_dict:
        _load_extra(self, state_dict[extra], journal)
    elif strict:
        missing_keys.append(extra)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                name = key[len(prefix):].split(".", 1)
                if name[0] not in self._modules and (len(name) > 1 or name[0] not in own):
                    unexpected_keys.append(key)


_load_from_state_dict.only_renames = True       # an override so marked changes keys only, and may wait for the journal


def _load_extra(module, given, journal):
    def restore():
        if getattr(type(module).get_extra_state, "is_default", False):
            return lambda: None
        before = module.get_extra_state()
        return lambda: module.set_extra_state(before)
    if journal is not None:     # at once, since it may make modules for which the state has more
        journal.undo.append(restore())
    module.set_extra_state(given)


def _load_one(module, name, key, value, given, assign, errors, journal):
    """Check one entry, and write it now or later."""
    if not isinstance(given, Tensor):
        errors.append(f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                      f'checkpoint but '
                      f"received {type(given)}")
        return
    lazy = getattr(value, "_is_lazy", False)
    if not lazy and value.ndim == 0 and given.ndim == 1 and given.shape[0] == 1:
        given = given[0]        # as PyTorch once saved numbers
    if not lazy and getattr(given, "_is_lazy", False):
        errors.append(f"{key}: Can't access the shape of an uninitialized parameter or buffer in the checkpoint; run a "
                      f"forward pass of the module it came from first")
        return
    if not lazy and given.shape != value.shape:
        errors.append(f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
                      f"the shape in current model is {value.shape}.")
        return
    if value.device.type == "meta" and given.device.type != "meta" and not assign:
        warnings.warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                      f"current model, which is a no-op\n  fix: pass assign=True, so that the model takes it over",
                      stacklevel=5)

    def step():
        try:
            with no_grad():
                if settings.same_parameters and not lazy:
                    _exchange(value, given, assign)
                elif assign:
                    setattr(module, name, _assigned(value, given, journal))
                else:
                    value.copy_(given)
        except Exception as error:
            errors.append(f'While copying the parameter named "{key}", whose dimensions in the model are {value.shape} '
                          f'and whose dimensions in '
                          f"the checkpoint are {given.shape}, an exception occurred : {error.args}.")

    def restore():
        if settings.same_parameters and not lazy:
            kept = value.detach().clone()
            return lambda: _exchange(value, kept, True)
        if assign:
            return lambda: setattr(module, name, value)
        before = value.detach().clone()

        def back():
            with no_grad():
                value.copy_(before)
        return back
    if journal is None:
        step()
    else:
        journal.write(step, restore)


def _exchange(value, given, assign):
    """The entry takes the place of what the module has, whose object stays (torch.__future__)."""
    made = value.module_load(given, assign=assign)
    if made is given or made is value:
        raise RuntimeError(f"module_load returned one of self or other, please .detach() the result if returning one "
                           f"of the inputs in module_load: {type(value).__name__}")
    if isinstance(value, Parameter):
        made = (made.requires_grad_(value.requires_grad) if isinstance(made, Parameter)
                else Parameter(made, requires_grad=value.requires_grad))
    swap_tensors(value, made)


def _assigned(value, given, journal):
    """What stands in a parameter's or buffer's place from now on; weights that were tied, and are given the same
    memory, stay tied.
    """
    if not isinstance(value, Parameter):
        return given
    before = None if journal is None else journal.assigned.get(id(value))
    if before is not None and before.shape == given.shape and before.data_ptr() == given.data_ptr():
        return before
    made = given if isinstance(given, Parameter) else Parameter(given, requires_grad=value.requires_grad)
    made.requires_grad_(value.requires_grad)
    if journal is not None:
        journal.assigned[id(value)] = made
    return made


# the message

def _report(module, state, missing, unexpected, errors):
    """All that is wrong: names first, then shapes."""
    fix = _other_prefix(missing, unexpected)
    lines = _names_diff(missing, unexpected) + list(errors)
    if len(lines) > SHOWN:
        lines = lines[:SHOWN] + [f"and {len(lines) - SHOWN} more"]
    fix = fix or _advice(module, state, missing, unexpected, errors)
    place = where(here())
    return (f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(lines)
            + "\n  nothing was loaded" + (f"\n  in  {place}" if place else "") + f"\n  fix: {fix}")


def _advice(module, state, missing, unexpected, errors):
    """What to do about names that are no others in disguise, and about sizes."""
    inner = [k for k, v in state.items() if hasattr(v, "items") and any(isinstance(t, Tensor) for t in v.values())]
    if missing and inner:
        return f'this is a checkpoint around the state: load_state_dict(checkpoint["{inner[0]}"])'
    if errors:
        return "build the model with the sizes that the state was saved with"
    if len(unexpected) == len(state):
        return "no name of the state is one of the model's: build the model that it was saved from"
    return "load_state_dict(..., strict=False) takes what fits by name, and leaves the rest of the model as it is"


def _other_prefix(missing, unexpected):
    """Which call helps if most missing names are there, behind another prefix; None if they aren't."""
    pairs = [(p, q) for p in _prefixes(unexpected) for q in _prefixes(missing) if p != q]
    counts = {(p, q): len(_without(p, unexpected) & _without(q, missing)) for p, q in pairs}
    theirs, ours = max(counts, key=lambda pair: (counts[pair], -len("".join(pair))), default=("", ""))
    if 2 * counts.get((theirs, ours), 0) < max(len(missing), 1):
        return None
    if not ours:
        return (f'the names in the state begin with "{theirs}", the model\'s don\'t: '
                f'nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "{theirs}") takes it off')
    if not theirs:
        return (f'the model\'s names begin with "{ours}", those in the state don\'t: '
                f'model.{ours[:-1]}.load_state_dict(state_dict) loads that part')
    return (f'what begins with "{theirs}" in the state begins with "{ours}" in the model: '
            f'load_state_dict({{k.replace("{theirs}", "{ours}", 1): v for k, v in state_dict.items()}})')


def _prefixes(names):
    """"", "a." and "a.b." of a first name a.b.c."""
    words = names[0].split(".")[:-1] if names else []
    return ["".join(f"{word}." for word in words[:n]) for n in range(len(words) + 1)]


def _without(prefix, names):
    return {name[len(prefix):] for name in names if name.startswith(prefix)}


def _quoted(names):
    """The names in quotes; so many that they would hide what is said after them are counted."""
    shown = ", ".join(f'"{name}"' for name in names[:NAMES_SHOWN])
    return f"{shown}, and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else shown


def _names_diff(missing, unexpected):
    """Missing and unexpected names, each with the likely counterpart beside it."""
    parts = []
    if missing:
        parts.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if unexpected:
        parts.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
    pairs = []
    for key in missing if len(missing) * len(unexpected) < 100_000 else ():
        close = difflib.get_close_matches(key, unexpected, n=1, cutoff=0.7)
        if close:
            pairs.append(f"{close[0]} -> {key}?")
    if pairs:
        shown = ", ".join(pairs[:5]) + (f" and {len(pairs) - 5} more" if len(pairs) > 5 else "")
        parts.append("Perhaps renamed: " + shown)
    return parts
