"""torch.hub: models from a folder with a hubconf.py, and checkpoints from an address."""
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import zipfile
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from weft.io.api import load as _load_file
from weft.io.atomic import replacing

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
HUBCONF = "hubconf.py"
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

def _module(repo_or_dir, source, trust_repo, force_reload=False, verbose=True, skip_validation=False):
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = repo_or_dir if source == "local" else _downloaded(repo_or_dir, force_reload, trust_repo, verbose)
    path = os.path.join(folder, HUBCONF)
    spec = importlib.util.spec_from_file_location(HUBCONF, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [name for name in getattr(module, "dependencies", []) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}\n  fix: pip install {' '.join(missing)}")
    return module


def _downloaded(repo, force_reload, trust_repo, verbose):
    """The folder of a repository "owner/name[:ref]" on GitHub, downloaded unless it is there."""
    name, _, ref = repo.partition(":")
    if name.count("/") != 1:
        raise ValueError(f"a repository is called owner/name[:ref], not {repo!r}\n  fix: for a folder, "
                         f'source="local"')
    if trust_repo is False:
        raise ValueError(f"{name} would be downloaded and its {HUBCONF} run\n  fix: trust_repo=True, if you do")
    ref = ref or "main"
    folder = os.path.join(get_dir(), "_".join([*name.split("/"), ref.replace("/", "_")]))
    if os.path.isdir(folder) and not force_reload:
        if verbose:
            sys.stderr.write(f"Using cache found in {folder}\n")
        return folder
    os.makedirs(get_dir(), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=get_dir()) as place:
        archive = os.path.join(place, "repository.zip")
        download_url_to_file(f"https://github.com/{name}/archive/{ref}.zip", archive, progress=verbose)
        with zipfile.ZipFile(archive) as file:
            file.extractall(place)
            top = file.namelist()[0].split("/")[0]
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(os.path.join(place, top), folder)
    return folder


def _entry(module, name):
    found = getattr(module, name, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True, *, source=None):
    """The names that a hubconf.py offers; `github` may be a folder."""
    module = _module(github, source or _source_of(github), trust_repo, force_reload, verbose)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None, *, source=None):
    """The docstring of one of them."""
    return _entry(_module(github, source or _source_of(github), trust_repo, force_reload), model).__doc__


def load(repo_or_dir, model, *args, source="github", trust_repo=None, force_reload=False, verbose=True,
         skip_validation=False, **kwargs):
    """Call an entry of a repository's hubconf.py: with source="local" that of a folder, else a download."""
    return _entry(_module(repo_or_dir, source, trust_repo, force_reload, verbose), model)(*args, **kwargs)


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
    """Download to a file, which appears when it is whole and its SHA-256 starts as it should."""
    digest, dst = hashlib.sha256(), os.path.expanduser(dst)
    with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source, replacing(dst) as file:
        while block := source.read(1 << 17):
            file.write(block)
            digest.update(block)
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
