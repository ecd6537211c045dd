"""make `import torch` mean weft in this whole environment, or no longer: on, off, status

usage: weft as-torch on | off | status  [--target FOLDER]

`on` puts a tiny package `torch` with its metadata into this environment's site-packages (or into FOLDER), so that
pytest, notebooks, servers and `pip install transformers` find a torch. It refuses where PyTorch itself is installed.
`off` takes away what `on` put there, as does `pip uninstall torch`. `status` says what torch is here: exit code 0 if it
is weft.
"""
import base64
import csv
import hashlib
import importlib.machinery
import importlib.metadata
import os
import shutil
import sys
import sysconfig

from weft._torch import SITE

INSTALLER = "weft"
OPTIONS, WORDS = ("--target", "--help"), ("on", "off", "status")


class Refused(Exception):
    """Why it can't be done, and what to do."""


def run(arguments):
    """Do what is asked; the exit code."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    verbs = {"on": on, "off": off, "status": status}
    verb, *rest = arguments or [""]
    if verb not in verbs or rest and (len(rest) != 2 or rest[0] != "--target"):
        print("weft as-torch: say on, off or status\n  fix: `weft as-torch --help` shows how it is called",
              file=sys.stderr)
        return 2
    try:
        return verbs[verb](os.path.abspath(rest[1]) if rest else sysconfig.get_path("purelib"))
    except Refused as problem:
        print(f"weft as-torch: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"weft as-torch: {problem}\n  fix: use an environment of your own (python -m venv), or --target FOLDER",
              file=sys.stderr)
        return 1


# what is there

def installed(target):
    """The metadata of the torch in a folder, or None; ours before any other."""
    found = [d for d in importlib.metadata.distributions(path=[target])
             if (d.metadata["Name"] or "").lower() == "torch"]
    return next(filter(is_ours, found), found[0] if found else None)


def is_ours(distribution):
    return (distribution.read_text("INSTALLER") or "").strip() == INSTALLER


def real_torch(target):
    """Where PyTorch itself is in this environment, or None."""
    for place in dict.fromkeys([target, *sys.path]):
        if place == SITE:
            continue
        there = importlib.machinery.PathFinder.find_spec("torch", [place or os.getcwd()])
        ours = installed(place)
        if there is not None and there.loader is not None and not (ours is not None and is_ours(ours)):
            return there.origin
        if ours is not None and not is_ours(ours):
            return place
    return None


# the verbs

def on(target):
    """Copy the package, with a RECORD of its files by which pip takes it away again."""
    real = real_torch(target)
    if real is not None:
        raise Refused(f"PyTorch itself is installed here ({real})\n  fix: `weft run PROGRAM.py` needs no installation; "
                      f"or use an environment without it")
    if installed(target) is not None:
        off(target, quiet=True)         # an older one, perhaps
    os.makedirs(target, exist_ok=True)
    try:
        write(target)
    except OSError:
        for path in paths():
            remove(target, path)
        raise
    print(f"torch is weft in {target}\n  `weft as-torch off` takes it away again")
    return 0


def write(target):
    rows = []
    for path in paths():
        place = os.path.join(target, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if path.endswith("INSTALLER"):
            with open(place, "w", encoding="utf-8") as file:
                file.write(INSTALLER + "\n")
        elif not path.endswith("RECORD"):
            shutil.copyfile(os.path.join(SITE, path), place)
        rows.append((path, "", "") if path.endswith("RECORD") else (path, *digest(place)))
    with open(os.path.join(target, rows[-1][0]), "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def digest(path):
    """A file's hash and size, as RECORD has them."""
    with open(path, "rb") as file:
        data = file.read()
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), str(len(data))


def paths():
    """The files that `on` writes, with / between folders; RECORD is the last."""
    found = sorted(os.path.relpath(os.path.join(folder, name), SITE).replace(os.sep, "/")
                   for folder, _, names in os.walk(SITE) for name in names if not name.endswith(".pyc"))
    info = next(path.partition("/")[0] for path in found if ".dist-info/" in path)
    return [*found, f"{info}/INSTALLER", f"{info}/RECORD"]


def off(target, quiet=False):
    """Remove what RECORD names, and the folders that are empty then."""
    there = installed(target)
    if there is None:
        if not quiet:
            print(f"there is no torch in {target}")
        return 0
    if not is_ours(there):
        raise Refused(f"the torch in {target} is PyTorch itself\n  fix: `pip uninstall torch`, if that is what you "
                      f"want")
    for row in csv.reader((there.read_text("RECORD") or "").splitlines()):
        remove(target, row[0])
    if not quiet:
        print(f"torch is no longer weft in {target}")
    return 0


def remove(target, path):
    """A file of ours, what Python compiled of it, and its folder once that is empty."""
    place = os.path.abspath(os.path.join(target, path))
    if os.path.commonpath([place, target]) != target:
        raise Refused(f"RECORD names a file outside of {target}: {path}")
    if os.path.exists(place):
        os.remove(place)
    folder = os.path.dirname(place)
    shutil.rmtree(os.path.join(folder, "__pycache__"), ignore_errors=True) if folder != target else None
    if folder != target and os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def status(target):
    """What torch is in this environment."""
    real, there = real_torch(target), installed(target)
    if there is not None and is_ours(there):
        print(f"torch is weft in {target} (version {there.version})")
        return 0
    print(f"torch is PyTorch itself ({real})" if real else f"there is no torch in {target}")
    return 1
