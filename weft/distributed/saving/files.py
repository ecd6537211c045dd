"""A checkpoint's folder: a file of tensors for each rank that has some, and `.metadata`, which says what is where.

All of them are weft's own containers (weft/io), data only: loading one runs no code. `.metadata` is written last, so a
folder without it is not a checkpoint.
"""
import os

from weft.core.errors import fail
from weft.io import api

__all__ = ["CheckpointException", "FileSystemReader", "FileSystemWriter"]
METADATA, KIND, VERSION = ".metadata", "weft.distributed.checkpoint", 1


class CheckpointException(RuntimeError):
    """A checkpoint that can't be loaded.

    >>> from weft.distributed.checkpoint import CheckpointException
    >>> issubclass(CheckpointException, RuntimeError)
    True
    """


class _Folder:
    def __init__(self, path, *args, **kwargs):
        self.path = os.fspath(path)
        self.checkpoint_id = self.path

    def reset(self, checkpoint_id=None):
        """Go to another folder.

        >>> from weft.distributed.checkpoint import FileSystemReader
        >>> reader = FileSystemReader("first")
        >>> reader.reset("second")
        >>> reader.path
        'second'
        """
        if checkpoint_id is not None:
            self.path = self.checkpoint_id = os.fspath(checkpoint_id)


class FileSystemWriter(_Folder):
    """Where to save: a folder, which is made. Options of PyTorch's about threads and caches change nothing.

    >>> from weft.distributed.checkpoint import FileSystemWriter
    >>> FileSystemWriter("folder").path
    'folder'
    """

    def write_tensors(self, rank, tensors):
        """Write this rank's {name: tensor}; the file's name, or None where there are none.

        >>> from weft.distributed.checkpoint import FileSystemWriter
        >>> FileSystemWriter("folder").write_tensors(0, {}) is None
        True
        """
        if not tensors:
            return None
        name = f"__{rank}_0.distcp"
        api.save(tensors, os.path.join(self.path, name))
        return name

    def begin(self):
        """Make the folder; what is in it is not a checkpoint any more.

        >>> import os, tempfile
        >>> from weft.distributed.checkpoint import FileSystemWriter
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     FileSystemWriter(folder + "/new").begin()
        ...     os.listdir(folder)
        ['new']
        """
        os.makedirs(self.path, exist_ok=True)
        if os.path.exists(os.path.join(self.path, METADATA)):
            os.unlink(os.path.join(self.path, METADATA))

    def finish(self, tensors, values, paths):
        """Write what is where.

        >>> import tempfile
        >>> from weft.distributed.checkpoint import FileSystemReader, FileSystemWriter
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     FileSystemWriter(folder).finish({}, {"step": 3}, {"step": ["step"]})
        ...     FileSystemReader(folder).read_metadata()["values"]
        {'step': 3}
        """
        api.save({"kind": KIND, "version": VERSION, "tensors": tensors, "values": values, "paths": paths},
                 os.path.join(self.path, METADATA))


class FileSystemReader(_Folder):
    """What to load: a checkpoint's folder.

    >>> from weft.distributed.checkpoint import FileSystemReader
    >>> FileSystemReader("folder").path
    'folder'
    """

    def __init__(self, path, *args, **kwargs):
        super().__init__(path)
        self.opened = {}

    def read_metadata(self):
        """What is where: {"tensors": {name: its shape, type and parts}, "values": {name: value},
        "paths": {name: the keys that lead to it}}.

        >>> from weft.distributed.checkpoint import FileSystemReader
        >>> FileSystemReader("nowhere").read_metadata()
        Traceback (most recent call last):
        weft.distributed.saving.files.CheckpointException: nowhere is not a checkpoint: it has no .metadata
          ...
        """
        path = os.path.join(self.path, METADATA)
        if not os.path.exists(path):
            fail(CheckpointException, f"{self.path} is not a checkpoint: it has no {METADATA}",
                 "give the folder that torch.distributed.checkpoint.save wrote; one that was cut off has none")
        try:
            found = api.load(path)
        except Exception as error:
            raise CheckpointException(f"{path} can't be read: {error}\n  fix: PyTorch's own .metadata is a pickle of "
                                      "its classes; there, convert it with dcp_to_torch_save") from error
        if not isinstance(found, dict) or found.get("kind") != KIND or found.get("version") != VERSION:
            fail(CheckpointException, f"{path} is not of this format, or of a newer version of it")
        return found

    def part(self, file, name):
        """A tensor of a rank's file, which is mapped, not read.

        >>> from weft.distributed.checkpoint import FileSystemReader
        >>> FileSystemReader("folder").part("../secret", "x")
        Traceback (most recent call last):
        weft...CheckpointException: the checkpoint names the file '../secret', which is not in its folder
        """
        if os.path.basename(file) != file:
            fail(CheckpointException, f"the checkpoint names the file {file!r}, which is not in its folder", at="")
        if file not in self.opened:
            path = os.path.join(self.path, file)
            if not os.path.exists(path):
                fail(CheckpointException, f"the checkpoint {self.path} lacks its file {file}", "copy the whole folder")
            self.opened[file] = api.load(path, mmap=True)
        return self.opened[file][name]
