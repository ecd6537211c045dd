"""Files that are written whole or not at all: a temporary file beside the old one, flushed to the disk, then renamed
over it.

A temporary file is locked while its writer lives. One that isn't was left behind by a process that was killed, and the
next save into the folder removes it.
"""
import contextlib
import errno
import functools
import os
import re
import stat
import time
import zlib

try:
    import fcntl
except ImportError:     # Windows
    fcntl = None

# .<name>.weft-<host>-<process>-<number>.tmp
LEFT = re.compile(r"\..*\.weft-([0-9a-f]{8})-\d+-\d+\.tmp", re.DOTALL)
OLD = 3600      # seconds after which a file from another machine, whose locks may not reach here, is nobody's any more


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
    folder = folder or "."
    remove_left(folder)
    file, temporary, lock = _temporary(folder, name)
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
    finally:
        _unlock(lock)
    _sync_folder(folder)


def remove_left(folder):
    """Remove the temporary files in a folder whose writers are gone."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = LEFT.fullmatch(entry.name)
            if found is not None:
                with contextlib.suppress(OSError):
                    _remove_if_left(entry.path, found.group(1) == _host())


def _remove_if_left(path, ours):
    if fcntl is None or not stat.S_ISREG(os.lstat(path).st_mode):
        return
    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)      # OSError while its writer lives
        if (ours or time.time() - os.fstat(handle).st_mtime > OLD) and _is_at(handle, path):
            os.unlink(path)
    finally:
        os.close(handle)


def _is_at(handle, path):
    """Whether an open file still has its name."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _lock(handle, path):
    """Lock a new file: (whether it is still ours, what to unlock). Where there are no locks nobody removes it."""
    if fcntl is None:
        return True, None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES), None       # another save looks at it just now
    if not _is_at(handle, path):        # another save took it for one that was left
        return False, None
    return True, os.dup(handle)         # the lock lasts until this one is closed, too


def _unlock(lock):
    if lock is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_UN)        # for those too that a fork gave it to
        os.close(lock)


@functools.cache
def _host():
    """What tells this machine from others that may share the folder."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return f"{zlib.crc32(name.encode('utf-8', 'surrogateescape')):08x}"


def _status(path):
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _temporary(folder, name):
    """A new file in the folder, with the rights that a new file gets there: (file, its path, its lock)."""
    for number in range(1000):
        path = os.path.join(folder, f".{name[:40]}.weft-{_host()}-{os.getpid()}-{number}.tmp")
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
            ours, lock = _lock(handle, path)
            if ours:
                return os.fdopen(handle, "wb"), path, lock
            os.close(handle)
            with contextlib.suppress(OSError):
                os.unlink(path)
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
