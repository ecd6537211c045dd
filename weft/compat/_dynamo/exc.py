"""The compiler's errors, to be named in `except`."""


class TorchDynamoException(RuntimeError):
    """Any of them."""


class Unsupported(TorchDynamoException):
    """What a compiler can't take."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend's own failure."""


class InternalTorchDynamoError(TorchDynamoException):
    """A fault of the compiler's."""
