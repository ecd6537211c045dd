"""torch.storage: a tensor's memory as an object."""
from weft.tensor.storage import TypedStorage as TypedStorage
from weft.tensor.storage import UntypedStorage as UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


def _load_from_bytes(data):
    """The storage in the bytes of a file, as pickles hold it."""
    import io  # only for pickles

    from weft.io.api import load  # of weft, and only for pickles
    return load(io.BytesIO(data), weights_only=False)
