"""The compiler's errors, to be named in `except`."""


class TorchDynamoException(RuntimeError):
    """Any of them."""


class Unsupported(TorchDynamoException):
    """What a compiler can't take."""


class InvalidBackend(TorchDynamoException):
    """A name of a backend that there is not."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend's own failure."""


class InternalTorchDynamoError(TorchDynamoException):
    """A fault of the compiler's."""
