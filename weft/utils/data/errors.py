"""A worker's errors, brought to the main process: their own type, and the traceback as text."""
import itertools
import pickle
import signal
import traceback

from weft.core.errors import HOME, message, where
from weft.core.place import at as place_at


def stopped(error):
    """The error for a StopIteration of the user's code, which would look like the end of the data."""
    return RuntimeError(message("a StopIteration was raised while a batch was made (in the dataset, the collate_fn or "
                                "a transform); it would end the epoch early, as if there were no more data",
                                "call next(iterator, default) there, or catch StopIteration; for data whose end isn't "
                                "known beforehand use an IterableDataset", _line(error)))


def _line(error):
    """The last line of the user's program that an error passed; None if there is none."""
    found, trace = None, error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if not frame.f_code.co_filename.startswith(HOME):
            found = place_at(frame.f_code, trace.tb_lasti)
        trace = trace.tb_next
    return where(found)


class KeyMessage(str):
    """A message that a KeyError shows as it is, line breaks included."""

    def __repr__(self):
        return str(self)


class WorkerError:
    """An exception as it travels: its type, its attributes, its traceback as text."""

    def __init__(self, error, where):       # `where`: which worker
        self.name, self.where = type(error).__name__, where
        self.text = _text(error)
        self.kind = _carried(type(error))
        self.attributes = {k: v for k, v in vars(error).items() if k != "__notes__"}

    def __getstate__(self):
        """Its type becomes the nearest one that the main process knows too."""
        kinds = (_packed(kind) for kind in self.kind.__mro__)
        packed = {name: _packed(value) for name, value in self.attributes.items()}
        return {**vars(self), "kind": next(kind for kind in kinds if kind is not None), "attributes": packed}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.kind = _unpacked(self.kind) or RuntimeError        # one that can't be imported here
        self.attributes = {name: _unpacked(value) for name, value in self.attributes.items() if value is not None}

    def reraise(self):
        """Raise it here."""
        raise self.exception()

    def exception(self):
        """The exception to raise: of the same type, whatever its constructor takes."""
        message = f"Caught {self.name} {self.where}.\nOriginal {self.text}"
        return _with_message(self.kind, message, self.attributes)


def _text(error):
    try:
        return "".join(traceback.format_exception(error))
    except BaseException as other:      # its own __str__ may raise anything
        return f"{type(error).__name__} (its text can't be had: {type(other).__name__})\n"


def _carried(kind):
    """The type that an error has in the main program: StopIteration would end its loop without a word, SystemExit the
    program, for a worker that wanted to end itself.
    """
    return RuntimeError if issubclass(kind, (StopIteration, SystemExit)) else kind


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
    own = type(kind.__name__, (kind,), {"__str__": lambda self: message, "__module__": kind.__module__,
                                        "__init__": lambda self, *args: None})
    try:
        return own.__new__(own, message)
    except Exception:
        return RuntimeError(message)


# a worker that is gone

ADVICE = {
    "SIGKILL": "the system's memory may have run out (see dmesg): fewer workers, a smaller prefetch_factor or "
    "batch_size need less",
    "SIGSEGV": "a library crashed; with num_workers=0 a debugger sees where; multiprocessing_context='spawn' helps one "
    "that can't stand a fork",
    "SIGBUS": "memory that was mapped from a file is gone: the disk or the memory may be full",
    "SIGTERM": "somebody asked it to stop",
}


def death(worker_id, pid, exitcode, report=""):
    """The error for a worker that ended without being asked to."""
    if exitcode is not None and exitcode < 0:
        name = _signal_name(-exitcode)
        what = f"is killed by signal: {_signal_text(-exitcode)} ({name})."
        advice = ADVICE.get(name, "num_workers=0 runs the dataset in this process, where a debugger can see it")
    else:
        what = f"exited unexpectedly with exit code {exitcode}." if exitcode is not None else "exited unexpectedly."
        advice = ("look for os._exit or sys.exit in the dataset; a spawned worker's own traceback stands above, on "
                  "stderr")
    lines = [f"DataLoader worker (pid {pid}) {what}", f"  in  worker {worker_id}"]
    if report := essence(report):
        lines += ["  it wrote before it died:", *("    " + line for line in report)]
    return RuntimeError("\n".join([*lines, f"  fix: {advice}"]))


def _signal_text(number):
    try:
        return signal.strsignal(number)
    except ValueError:
        return "unknown"


def essence(report):
    """The lines of faulthandler's report that concern the program: the thread that crashed, down to where the worker
    began.
    """
    lines = report.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("Current thread")), None)
    if start is None:
        return lines[:20]
    frames = itertools.takewhile(lambda line: line.strip() and not line.endswith("in process_main"), lines[start:])
    return [lines[0], *frames]


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
