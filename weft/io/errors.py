"""The errors of a file that can't be read: what, which file, where, what to do."""
import pickle

from weft.core.errors import message


class CheckpointFileError(pickle.UnpicklingError, RuntimeError):
    """A file is not a checkpoint, is damaged, or asks for what a checkpoint may not have. Both of PyTorch's `except`
    clauses catch it.

    >>> import weft
    >>> with open("broken.pt", "wb") as file:
    ...     _ = file.write(b"no checkpoint")
    >>> try:
    ...     weft.load("broken.pt")
    ... except weft.serialization.CheckpointFileError as error:
    ...     print("broken.pt" in str(error))
    True
    """

    def __init__(self, what, fix=None):
        super().__init__(what)
        self.what, self.fix = what, fix

    def named(self, name):
        """The same error with the name of the file and the user's line in its text.

        >>> import weft
        >>> error = weft.serialization.CheckpointFileError("it ends too early")
        >>> "model.pt" in str(error.named("model.pt"))
        True
        """
        made = type(self)(message(f"{name}: {self.what}", self.fix))
        made.what, made.fix = self.what, self.fix
        return made


class TruncatedFileError(CheckpointFileError, EOFError):
    """A file ends too early."""


AGAIN = "copy or download the file again, or go back to an older checkpoint"


def bad(what, fix=AGAIN):
    """The error of a damaged file, to be raised."""
    return CheckpointFileError(what, fix)


def cut(what):
    """The error of a file that ends too early, to be raised."""
    return TruncatedFileError(what, AGAIN)
