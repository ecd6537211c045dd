"""torch.distributed.elastic.multiprocessing.errors: weft prints the first failing rank's traceback by itself."""
from weft._absent import absent_classes as _classes

_classes("ErrorHandler ProcessFailure", globals(), "the first failing rank's traceback is printed")


class ChildFailedError(Exception):
    """A process that a launcher started has failed. weft's launcher ends with an exit code instead."""


def record(fn, error_handler=None):
    """The function as it is: an error in it is printed and ends all ranks."""
    return fn
