"""Files that are written whole or not at all: a temporary file beside the old one, flushed to the disk, then renamed
over it.
"""
import contextlib
import errno
import os
import stat


@contextlib.contextmanager
def replacing(path):
    """A file object to write to; when the block ends well it takes the place of `path`, otherwise it vanishes and the
    old file stays.
    """
    # through a symlink: the file behind it is replaced, the link stays
    target = os.path.realpath(os.fspath(path))
    old = _status(target)
    if old is not None and not stat.S_ISREG(old.st_mode):
        # a pipe or a device can't be replaced; a directory is refused here
        with open(target, "wb") as file:
            yield file
        return
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is write-protected, and a rename would ignore that", target)
    folder, name = os.path.split(target)
    file, temporary = _temporary(folder or ".", name)
    try:
        with file:
            yield file
            file.flush()
            _take_over(file.fileno(), old)
            _sync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder or ".")


def _status(path):
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _temporary(folder, name):
    """A new file in the folder, with the rights that a new file gets there."""
    for number in range(1000):
        path = os.path.join(folder, f".{name[:40]}.{os.getpid()}-{number}.tmp")
        with contextlib.suppress(FileExistsError):
            try:
                handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
                                 | getattr(os, "O_BINARY", 0), 0o666)
            except FileNotFoundError:
                raise RuntimeError(f"Parent directory {folder} does not exist\n  fix: os.makedirs({folder!r}) "
                                   f"first") from None
            except PermissionError as error:
                raise PermissionError(error.errno,
                                      "a new file can't be made in the folder, which saving needs (it writes a file "
                                      "beside the old one and renames it); to write in place, give save an open file "
                                      "instead of a path", folder) from None
            return os.fdopen(handle, "wb"), path
    raise FileExistsError(f"{folder}: too many temporary files of {name}\n  fix: remove .{name}.*.tmp there")


def _take_over(handle, old):
    """The old file's rights, and its owner where that is possible."""
    if old is None or os.name == "nt":
        return
    with contextlib.suppress(OSError):
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(handle, old.st_uid, old.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _sync(handle):
    """The bytes on the disk; a few file systems don't know how."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _sync_folder(folder):
    """The new name on the disk, too; not every file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
