"""Records as TensorFlow frames them: length, its checksum, the data, its checksum; little-endian."""
import struct

from weft.utils.tensorboard.crc import masked_crc32c


def record(data):
    """One framed record."""
    length = struct.pack("<Q", len(data))
    return b"".join((length, struct.pack("<I", masked_crc32c(length)), data, struct.pack("<I", masked_crc32c(data))))


class RecordWriter:
    """Writes records to an open binary file."""

    def __init__(self, writer):
        self._writer = writer

    def write(self, data):
        """Write one record."""
        self._writer.write(record(data))

    def flush(self):
        """Hand what was written to the operating system."""
        self._writer.flush()

    def close(self):
        """Write the rest and close the file."""
        self._writer.close()

    @property
    def closed(self):
        """Whether the file is closed."""
        return self._writer.closed
