"""torchtext.utils: archives that can't write outside of their folder, and downloads, of which there are none."""
import gzip
import os
import shutil

from weft.core.errors import fail
from weft.vision.datasets.utils import extract_archive as _extract

__all__ = ["extract_archive", "download_from_url", "disable_torchtext_deprecation_warning"]


def extract_archive(from_path, to_path=None, overwrite=False):
    """Unpack a .zip, .tar, .tar.gz or .gz, by default beside it; the paths of its files. One that would write outside
    of the folder is refused before anything is written.

    >>> import os, tempfile, zipfile
    >>> from weft.text.utils import extract_archive
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.zip")
    ...     with zipfile.ZipFile(path, "w") as archive:
    ...         archive.writestr("x/y.txt", "hello")
    ...     [os.path.relpath(name, folder) for name in extract_archive(path)]
    ['x/y.txt']
    """
    folder = os.path.dirname(from_path) or "." if to_path is None else to_path
    if from_path.endswith(".gz") and not from_path.endswith((".tar.gz", ".tgz")):
        os.makedirs(folder, exist_ok=True)
        target = os.path.join(folder, os.path.basename(from_path)[:-3])
        with gzip.open(from_path) as packed, open(target, "wb") as file:
            shutil.copyfileobj(packed, file)
        return [target]
    before = _files(folder)
    _extract(from_path, folder)
    made = sorted(path for path, stamp in _files(folder).items() if before.get(path) != stamp)
    return made


def _files(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            state = os.stat(path)
            found[path] = state.st_mtime_ns, state.st_ino, state.st_size
    return found


def download_from_url(url, path=None, root=".data", overwrite=False, hash_value=None, hash_type="sha256"):
    """The file's path if it is there already; weft downloads nothing.

    >>> from weft.text.utils import download_from_url
    >>> _ = open("a.txt", "w").write("hello")
    >>> download_from_url("https://example.org/a.txt", root=".")
    './a.txt'
    """
    target = os.path.join(root, os.path.basename(url)) if path is None else path
    if not os.path.exists(target):
        fail(FileNotFoundError, f"there is no file {target}",
             fix=f"weft downloads nothing; fetch {url} and put it there")
    return target


def disable_torchtext_deprecation_warning():
    """torchtext's last release warns that it is the last; weft.text doesn't, so nothing changes.

    >>> import weft
    >>> weft.text.disable_torchtext_deprecation_warning()
    """
