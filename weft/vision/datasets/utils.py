"""Files from the network, whole and with the right checksum or not at all; archives, which can't write outside of the
folder that they are extracted to.
"""
import bz2
import gzip
import hashlib
import http.client
import lzma
import os
import pickle
import shutil
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile

from weft.utils.progress import Progress

__all__ = ["calculate_md5", "check_md5", "check_integrity", "extract_archive", "download_url",
           "download_and_extract_archive"]

SECONDS = 30            # that a server may be silent
CHUNK = 1 << 16


def calculate_md5(fpath, chunk_size=1024 * 1024):
    """A file's checksum.

    >>> import weft
    >>> _ = open("a", "w").write("hello")
    >>> weft.vision.datasets.utils.calculate_md5("a")
    '5d41402abc4b2a76b9719d911017c592'
    """
    made = hashlib.md5(usedforsecurity=False)
    with open(fpath, "rb") as file:
        while chunk := file.read(chunk_size):
            made.update(chunk)
    return made.hexdigest()


def check_md5(fpath, md5, **kwargs):
    """Whether a file has a checksum.

    >>> import weft
    >>> _ = open("a", "w").write("hello")
    >>> weft.vision.datasets.utils.check_md5("a", "5d41402abc4b2a76b9719d911017c592")
    True
    """
    return md5 == calculate_md5(fpath, **kwargs)


def check_integrity(fpath, md5=None):
    """Whether a file is there, and has the checksum where one is given.

    >>> import weft
    >>> weft.vision.datasets.utils.check_integrity("nowhere")
    False
    """
    return os.path.isfile(fpath) and (md5 is None or check_md5(fpath, md5))


def _inside(folder, name, archive):
    """Where an archive's entry goes; an error if that is outside of the folder."""
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, name))
    if os.path.isabs(name) or (path != root and os.path.commonpath([root, path]) != root):
        raise RuntimeError(f"{archive} has an entry {name!r} that would be written outside of {folder}: nothing was "
                           "extracted\n  fix: don't trust this archive")
    return path


def _extract_tar(source, folder):
    with tarfile.open(source) as archive:
        members = archive.getmembers()
        for member in members:
            _inside(folder, member.name, source)
            if member.issym() or member.islnk():
                where = os.path.dirname(member.name) if member.issym() else ""
                _inside(folder, os.path.join(where, member.linkname), source)
                if os.path.isabs(member.linkname):
                    raise RuntimeError(f"{source} has a link to {member.linkname!r}: nothing was extracted\n  fix: "
                                       "don't trust this archive")
            elif not (member.isfile() or member.isdir()):
                raise RuntimeError(f"{source} has an entry {member.name!r} that is neither a file nor a folder: "
                                   "nothing was extracted")
        for member in members:          # a link that was just written may lead elsewhere: asked again, one by one
            _inside(folder, member.name, source)
            archive.extract(member, folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def _extract_zip(source, folder):
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            _inside(folder, name, source)
        archive.extractall(folder)


OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def extract_archive(from_path, to_path=None, remove_finished=False):
    """Extract a .tar (.gz, .bz2, .xz), a .zip or one compressed file; gives the path of what was made.

    >>> import weft, zipfile
    >>> with zipfile.ZipFile("a.zip", "w") as archive:
    ...     archive.writestr("inside/b.txt", "hello")
    >>> weft.vision.datasets.utils.extract_archive("a.zip", "made")
    'made'
    """
    from_path = os.fspath(from_path)
    to_path = os.path.dirname(from_path) if to_path is None else os.fspath(to_path)
    lower = from_path.lower()
    try:
        if lower.endswith((".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tbz2", ".tbz")):
            os.makedirs(to_path or ".", exist_ok=True)
            _extract_tar(from_path, to_path or ".")
        elif lower.endswith(".zip"):
            os.makedirs(to_path or ".", exist_ok=True)
            _extract_zip(from_path, to_path or ".")
        elif os.path.splitext(lower)[1] in OPENERS:
            made = os.path.join(to_path, os.path.splitext(os.path.basename(from_path))[0])
            with OPENERS[os.path.splitext(lower)[1]](from_path, "rb") as source, open(made, "wb") as target:
                shutil.copyfileobj(source, target)
            to_path = made
        else:
            raise RuntimeError(f"{from_path} is no archive that can be extracted\n  fix: give a .tar, .zip, .gz, .bz2 "
                               "or .xz file")
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, lzma.LZMAError) as error:
        raise RuntimeError(f"{from_path} can't be extracted: {error}\n  fix: fetch it again") from None
    if remove_finished:
        os.remove(from_path)
    return to_path


class _Data(pickle.Unpickler):
    """Reads arrays, lists, dicts and texts; nothing that a file names can run."""

    KNOWN = {("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"),
             ("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}

    def find_class(self, module, name):
        if (module, name) not in self.KNOWN:
            raise RuntimeError(f"the file names {module}.{name}, which is no data\n  fix: don't trust this file")
        return super().find_class(module, name)


def load_data(path, encoding="latin1"):
    """What a pickled file of data holds, without running anything."""
    with open(path, "rb") as file:
        try:
            return _Data(file, encoding=encoding).load()
        except (pickle.UnpicklingError, EOFError, IndexError, KeyError, ValueError, TypeError) as error:
            raise RuntimeError(f"{path} can't be read: {error}\n  fix: fetch it again") from None


# from the network

def download_url(url, root, filename=None, md5=None, max_redirect_hops=3):
    """Fetch a file into a folder, with a progress bar; one that is there with the right checksum is left as it is.

    >>> from weft.vision.datasets.utils import download_url
    >>> _ = open("a", "w").write("hello")
    >>> download_url("https://example.org/a", ".", md5="5d41402abc4b2a76b9719d911017c592")     # it is there
    """
    parts = urllib.parse.urlsplit(url)
    name = os.path.basename(filename or parts.path)
    if parts.scheme not in ("http", "https") or not name:
        raise ValueError(f"{url!r} is not the address of a file\n  fix: give one that begins with https:// or http://")
    root = os.path.expanduser(os.fspath(root))
    target = os.path.join(root, name)
    if check_integrity(target, md5):
        return
    os.makedirs(root, exist_ok=True)
    part = f"{target}.{os.getpid()}.part"
    try:
        _write(url, part, name, md5)
        os.replace(part, target)
    except (OSError, http.client.HTTPException) as error:
        reason = error if isinstance(error, urllib.error.HTTPError) else getattr(error, "reason", None) or error
        raise RuntimeError(f"{url} can't be fetched: {reason}\n  fix: where there is no network, put the file "
                           f"{name} into {root}") from None
    finally:
        if os.path.exists(part):
            os.remove(part)


def _write(url, path, name, md5):
    """Write what comes from an address to a file; an error if something is missing, or it isn't what it should be."""
    made, done = hashlib.md5(usedforsecurity=False), 0
    request = urllib.request.Request(url, headers={"User-Agent": "weft"})
    with urllib.request.urlopen(request, timeout=SECONDS) as answer, open(path, "wb") as file:
        size = int(answer.headers.get("Content-Length") or 0)
        with Progress(title=name, total=size or None, unit="B") as bar:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                made.update(chunk)
                done += len(chunk)
                bar.update(len(chunk))
    if size and done != size:
        raise OSError(f"the connection ended after {done} of {size} bytes")
    if md5 is not None and made.hexdigest() != md5:
        raise RuntimeError(f"File not found or corrupted. {url} gave another file: its checksum is {made.hexdigest()}, "
                           f"not {md5}; nothing was kept\n  fix: fetch it again, or from elsewhere")


def download_and_extract_archive(url, download_root, extract_root=None, filename=None, md5=None,
                                 remove_finished=False):
    """Fetch an archive and extract it; nothing in it is written outside of the folder.

    >>> from weft.vision.datasets.utils import download_and_extract_archive
    >>> import gzip
    >>> _ = gzip.open("a.gz", "wt").write("hello")
    >>> download_and_extract_archive("https://example.org/a.gz", ".")       # it is there, and is extracted
    >>> open("a").read()
    'hello'
    """
    name = os.path.basename(filename or urllib.parse.urlsplit(url).path)
    download_url(url, download_root, name, md5)
    archive = os.path.join(os.path.expanduser(os.fspath(download_root)), name)
    extract_archive(archive, download_root if extract_root is None else extract_root, remove_finished)


def fetch(sources, root):
    """Fetch files, each (addresses, name, checksum): from the first of its addresses that has it."""
    for urls, name, md5 in sources:
        for i, url in enumerate(urls):
            try:
                download_url(url, root, name, md5)
                break
            except RuntimeError:
                if i == len(urls) - 1:
                    raise
