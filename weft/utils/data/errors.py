"""A worker's errors, brought to the main process: their own type, and the traceback as text."""
import pickle
import signal
import traceback


class KeyMessage(str):
    """A message that a KeyError shows as it is, line breaks included."""

    def __repr__(self):
        return str(self)


class WorkerError:
    """An exception as it travels: its type, its attributes where they can be pickled, its traceback."""

    def __init__(self, error, where):
        self.name, self.where = type(error).__name__, where
        self.text = "".join(traceback.format_exception(error))
        self.kind = _packed(type(error))
        self.attributes = {k: _packed(v) for k, v in vars(error).items() if k != "__notes__"}

    def reraise(self):
        """Raise it here."""
        raise self.exception()

    def exception(self):
        """The exception to raise: of the same type, whatever its constructor takes."""
        message = f"Caught {self.name} {self.where}.\nOriginal {self.text}"
        kind = _unpacked(self.kind)
        if kind is None:       # its type is known in the worker only
            return RuntimeError(message)
        return _with_message(kind, message, {name: _unpacked(value) for name, value in self.attributes.items() if value is not None})


def _packed(value):
    """A value pickled, None if it can't be."""
    try:
        return pickle.dumps(value)
    except Exception:
        return None


def _unpacked(value):
    try:
        return None if value is None else pickle.loads(value)
    except Exception:
        return None


def _with_message(kind, message, attributes):
    """An exception of a type that says `message`."""
    if issubclass(kind, KeyError):
        message = KeyMessage(message)
    try:
        made = kind(message)
        if message not in str(made):
            raise ValueError
    except Exception:       # takes other arguments, or says something else
        made = _said_by_subclass(kind, message)
    for name, value in attributes.items():
        try:
            setattr(made, name, value)
        except Exception:
            continue
    return made


def _said_by_subclass(kind, message):
    """The type keeps its name and its except clauses; only what it says is ours."""
    own = type(kind.__name__, (kind,), {"__str__": lambda self: message, "__module__": kind.__module__, "__init__": lambda self, *args: None})
    try:
        return own.__new__(own, message)
    except Exception:
        return RuntimeError(message)


# a worker that is gone

ADVICE = {
    "SIGKILL": "the system's memory may have run out (see dmesg): fewer workers, a smaller prefetch_factor or batch_size need less",
    "SIGSEGV": "a library crashed; num_workers=0 lets a debugger see where, multiprocessing_context='spawn' avoids state that does not survive a fork",
    "SIGBUS": "memory that was mapped from a file is gone: the disk or the memory may be full",
    "SIGTERM": "somebody asked it to stop",
}


def death(worker_id, pid, exitcode, report=""):
    """The error for a worker that ended without being asked to."""
    if exitcode is not None and exitcode < 0:
        name = _signal_name(-exitcode)
        text = signal.strsignal(-exitcode) if hasattr(signal, "strsignal") else name
        what = f"is killed by signal: {text} ({name})."
        advice = ADVICE.get(name, "num_workers=0 runs the dataset in this process, where a debugger can see it")
    else:
        what = f"exited unexpectedly with exit code {exitcode}." if exitcode is not None else "exited unexpectedly."
        advice = "look for os._exit or sys.exit in the dataset; a spawned worker's own traceback stands above, on stderr"
    lines = [f"DataLoader worker (pid {pid}) {what}", f"  in  worker {worker_id}"]
    if report:
        lines += ["  it wrote before it died:", *("    " + line for line in report.splitlines())]
    return RuntimeError("\n".join([*lines, f"  fix: {advice}"]))


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
