"""torch.hub: models from a folder with a hubconf.py, and checkpoints from an address."""
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from weft.io.api import load as _load_file
from weft.io.atomic import replacing
from weft.utils.progress import Progress

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
HUBCONF = "hubconf.py"
_TRUSTED_REPO_OWNERS = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")
_chosen = []        # the folder of set_dir


def _get_torch_home():
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir():
    """Where downloads are kept: what set_dir() chose, else $TORCH_HOME/hub, else ~/.cache/torch/hub."""
    return _chosen[-1] if _chosen else os.path.join(_get_torch_home(), "hub")


def set_dir(d):
    """Choose where downloads are kept."""
    _chosen[:] = [os.path.expanduser(d)]


# a folder with a hubconf.py

@contextlib.contextmanager
def _module(repo_or_dir, source, trust_repo, force_reload=False, verbose=True, skip_validation=False):
    """Run a folder's hubconf.py; what it and its entries import may stand in that folder."""
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = (repo_or_dir if source == "local"
              else _downloaded(repo_or_dir, force_reload, trust_repo, verbose, skip_validation))
    spec = importlib.util.spec_from_file_location(HUBCONF, os.path.join(folder, HUBCONF))
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(folder)


def _downloaded(repo, force_reload, trust_repo, verbose, skip_validation):
    """The folder of a repository "owner/name[:ref]" on GitHub, downloaded unless it is there."""
    name, _, ref = repo.partition(":")
    if name.count("/") != 1:
        raise ValueError(f"a repository is called owner/name[:ref], not {repo!r}\n  fix: for a folder, "
                         f'source="local"')
    os.makedirs(get_dir(), exist_ok=True)
    ref = ref or _branch(name)
    own = "_".join([*name.split("/"), ref.replace("/", "_")])
    _ask_for_trust(name, own, trust_repo)
    folder = os.path.join(get_dir(), own)
    if os.path.isdir(folder) and not force_reload:
        if verbose:
            sys.stderr.write(f"Using cache found in {folder}\n")
        return folder
    if not skip_validation:
        _check_not_of_a_fork(name, ref)
    with tempfile.TemporaryDirectory(dir=get_dir()) as place:
        archive, address = os.path.join(place, "repository.zip"), f"https://github.com/{name}/zipball/{ref}"
        sys.stdout.write(f'Downloading: "{address}" to {archive}\n')
        download_url_to_file(address, archive, progress=False)
        with zipfile.ZipFile(archive) as file:
            file.extractall(place)              # which leaves no entry outside of it
            top = file.namelist()[0].split("/")[0]
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(os.path.join(place, top), folder)
    return folder


def _branch(name):
    """main where the repository has it, else master; without a network, that which was downloaded before."""
    try:
        with urlopen(f"https://github.com/{name}/tree/main/"):
            return "main"
    except HTTPError as error:
        if error.code == 404:
            return "master"
        raise
    except URLError as error:
        for ref in ("main", "master"):
            if os.path.isdir(os.path.join(get_dir(), "_".join([*name.split("/"), ref]))):
                return ref
        raise RuntimeError("It looks like there is no internet connection and the repo could not be found in the cache "
                           f"({get_dir()})") from error


def _ask_for_trust(name, own, trust_repo):
    """Ask whether a repository's code may run here; a yes is kept in the file trusted_list, as PyTorch does."""
    path, line = os.path.join(get_dir(), "trusted_list"), name.replace("/", "_")
    kept = []
    if os.path.exists(path):
        with open(path) as file:
            kept = file.read().split()
    trusted = line in kept or os.path.isdir(os.path.join(get_dir(), own)) or name.split("/")[0] in _TRUSTED_REPO_OWNERS
    if trust_repo is False or (trust_repo in (None, "check") and not trusted):
        try:
            answer = input(f"The repository {line} does not belong to the list of trusted repositories and as such "
                           "cannot be downloaded. Do you trust this repository and wish to add it to the trusted list "
                           "of repositories (y/N)?").strip().lower()
        except (EOFError, OSError) as error:
            raise RuntimeError(f"{name} is not trusted: its {HUBCONF} would run here, and there is no terminal to ask "
                               "at\n  fix: trust_repo=True, if you do") from error
        if answer in ("n", "no", ""):
            raise RuntimeError("Untrusted repository.")
        if answer not in ("y", "yes"):
            raise ValueError(f"Unrecognized response {answer}.")
    if not trusted:
        with open(path, "a") as file:
            file.write(line + "\n")


def _check_not_of_a_fork(name, ref):
    """GitHub also serves commits of forks under a repository's name: the ref must be a branch or tag of its own."""
    headers = {"Accept": "application/vnd.github.v3+json"}
    for kind in ("branches", "tags"):
        for page in range(1, 1000):
            address = f"https://api.github.com/repos/{name}/{kind}?per_page=100&page={page}"
            with urlopen(Request(address, headers=headers)) as answer:
                found = json.loads(answer.read())
            if any(one["name"] == ref or one["commit"]["sha"].startswith(ref) for one in found):
                return
            if not found:
                break
    raise ValueError(f"Cannot find {ref} in https://github.com/{name}. If it's a commit from a forked repo, please "
                     "call hub.load() with forked repo directly.")


def _entry(module, name):
    missing = [wanted for wanted in getattr(module, "dependencies", []) if importlib.util.find_spec(wanted) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}\n  fix: pip install {' '.join(missing)}")
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    found = getattr(module, name, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def list(github, force_reload=False, skip_validation=False, trust_repo="check", verbose=True, *, source=None):
    """The names that a hubconf.py offers; `github` may be a folder."""
    with _module(github, source or _source_of(github), trust_repo, force_reload, verbose, skip_validation) as module:
        return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo="check", *, source=None):
    """The docstring of one of them."""
    with _module(github, source or _source_of(github), trust_repo, force_reload, True, skip_validation) as module:
        return _entry(module, model).__doc__


def load(repo_or_dir, model, *args, source="github", trust_repo="check", force_reload=False, verbose=True,
         skip_validation=False, **kwargs):
    """Call an entry of a repository's hubconf.py: with source="local" that of a folder, else a download."""
    with _module(repo_or_dir, source.lower(), trust_repo, force_reload, verbose, skip_validation) as module:
        return _entry(module, model)(*args, **kwargs)


def _source_of(place):
    return "local" if os.path.isfile(os.path.join(place, HUBCONF)) else "github"


# files

class _Quiet:
    """A progress bar that shows nothing, where tqdm isn't installed."""

    def __init__(self, iterable=(), *args, **kwargs):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def update(self, n=1):
        """Nothing to show."""

    close = update


def __getattr__(name):
    if name != "tqdm":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    try:
        from tqdm import tqdm  # not weft's, and only for who asks
    except ImportError:
        return _Quiet
    return tqdm


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Download to a file, which appears when it is whole and its SHA-256 starts as it should; a bar on standard error
    shows how far it is, unless progress=False.
    """
    digest, dst = hashlib.sha256(), os.path.expanduser(dst)
    with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source, replacing(dst) as file:
        size = int(source.headers.get("Content-Length") or 0) or None
        with Progress(title=os.path.basename(dst), total=size, unit="B") if progress else _Quiet() as bar:
            while block := source.read(1 << 17):
                file.write(block)
                digest.update(block)
                bar.update(len(block))
        if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None,
                             weights_only=False):
    """Load a checkpoint from an address; it is downloaded once."""
    model_dir = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(model_dir, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(model_dir, name)
    if not os.path.exists(path):
        sys.stderr.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found[1] if found else None, progress)
    return _load_file(path, map_location=map_location, weights_only=weights_only)
