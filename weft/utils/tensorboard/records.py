"""Records as TensorFlow frames them: length, its checksum, the data, its checksum; little-endian."""
import struct

from weft.utils.tensorboard.crc import masked_crc32c


def record(data):
    """One framed record."""
    length = struct.pack("<Q", len(data))
    return b"".join((length, struct.pack("<I", masked_crc32c(length)), data, struct.pack("<I", masked_crc32c(data))))


class RecordWriter:
    """Writes records to an open binary file.

    >>> import weft
    >>> import io
    >>> file = io.BytesIO()
    >>> weft.utils.tensorboard.RecordWriter(file).write(b"data")
    >>> len(file.getvalue())
    20
    """

    def __init__(self, writer):
        self._writer = writer

    def write(self, data):
        """Write one record.

        >>> import weft
        >>> import io
        >>> file = io.BytesIO()
        >>> weft.utils.tensorboard.RecordWriter(file).write(b"data")
        >>> file.getvalue()[12:16]
        b'data'
        """
        self._writer.write(record(data))

    def flush(self):
        """Hand what was written to the operating system.

        >>> import weft
        >>> with open("records", "wb") as file:
        ...     writer = weft.utils.tensorboard.RecordWriter(file)
        ...     writer.write(b"data")
        ...     writer.flush()
        ...     len(open("records", "rb").read())
        20
        """
        self._writer.flush()

    def close(self):
        """Write the rest and close the file.

        >>> import weft
        >>> import io
        >>> writer = weft.utils.tensorboard.RecordWriter(io.BytesIO())
        >>> writer.close()
        >>> writer.closed
        True
        """
        self._writer.close()

    @property
    def closed(self):
        """Whether the file is closed.

        >>> import weft
        >>> import io
        >>> writer = weft.utils.tensorboard.RecordWriter(io.BytesIO())
        >>> writer.close()
        >>> writer.closed
        True
        """
        return self._writer.closed
