"""Packages that import torch, unpatched on weft and on PyTorch: does the same come out?

    python tools/ecosystem.py [--only NAME[,NAME]] [--list] [--again] [--timeout SECONDS]

Each tools/ecosystem/<package>.py is a program that a user could have written; its functions are the cases. The
programs run in two environments of their own under build/ecosystem: one with PyTorch 2.13.0, one with weft and
`weft as-torch on`. Both have the packages that the program's lines `# pip install ...` name. What comes out is
compared here, kept in tools/ecosystem/results.json, and told in docs/compatibility.md. A package that can't be
installed keeps its old rows; Ctrl-C keeps all that is done.
"""
import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import venv

import numpy as np

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.join(HOME, "tools", "ecosystem")
KEPT = os.path.join(PROGRAMS, "results.json")
PAGE = os.path.join(HOME, "docs", "compatibility.md")
ROOM = os.path.join(HOME, "build", "ecosystem")
TORCH = "2.13.0"
# what rounding may do to a result, over the largest number in it; integers and texts must be equal
ROUNDING = {"float64": 1e-8, "complex128": 1e-8}
ROUNDING_OTHERS = 2e-4


# the environments

def python(side):
    folder = "Scripts" if os.name == "nt" else "bin"
    return os.path.join(ROOM, side, folder, "python")


def pip(side, *arguments):
    """Install; what pip said last if it could not."""
    limits = os.path.join(ROOM, side, "constraints.txt")
    done = subprocess.run([python(side), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", limits,
                           *arguments], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines() or [""]
    return said[-1] if done.returncode else None


def make_environment(side):
    """A fresh environment with its torch; the constraint keeps pip from putting another one there."""
    ready = os.path.join(ROOM, side, "ready")
    if os.path.exists(ready):
        return
    print(f"making {os.path.join(ROOM, side)}", flush=True)
    shutil.rmtree(os.path.join(ROOM, side), ignore_errors=True)
    venv.create(os.path.join(ROOM, side), with_pip=True)
    with open(os.path.join(ROOM, side, "constraints.txt"), "w", encoding="utf-8") as file:
        file.write(f"torch=={TORCH}\n" if side == "torch" else f"torch=={TORCH}+weft\n")
    wants = ["numpy>=2", "setuptools"] + ([f"torch=={TORCH}"] if side == "torch" else ["ml_dtypes>=0.5"])
    problem = pip(side, *wants)
    if problem:
        raise SystemExit(f"ecosystem: the environment with {side} can't be made: {problem}")
    if side == "weft":
        site = subprocess.run([python(side), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
                              capture_output=True, text=True, check=True).stdout.strip()
        with open(os.path.join(site, "weft.pth"), "w", encoding="utf-8") as file:
            file.write(HOME + "\n")
        subprocess.run([python(side), "-m", "weft", "as-torch", "on"], check=True, stdout=subprocess.DEVNULL)
    with open(ready, "w", encoding="utf-8"):
        pass


def install(program, side, again):
    """All that a program's lines `# pip install` name; None, or why it can't be."""
    mark = os.path.join(ROOM, side, "installed-" + program["name"])
    wants = "\n".join(program["pip"])
    if not again and os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == wants:
                return None
    for line in program["pip"]:
        problem = pip(side, *(["--upgrade"] if again else []), *line.split())
        if problem:
            return problem
    with open(mark, "w", encoding="utf-8") as file:
        file.write(wants)
    return None


# the programs

def read_program(path):
    """Its name, what it installs, and its cases: {name: (what is run, why it may fail)}; nothing is imported."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    tree = ast.parse(source)
    cases = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            what, _, why = (ast.get_docstring(node) or node.name).partition("\n\n")
            cases[node.name] = (" ".join(what.split()), " ".join(why.split()))
    lines = [re.sub(r"\s+#.*", "", line) for line in re.findall(r"^# pip install (.+)$", source, re.M)]
    packages = [w.split("==")[0].split(">")[0].split("<")[0]
                for line in lines for w in line.split() if not w.startswith("-")]
    return {"name": os.path.basename(path)[:-3], "path": path, "pip": lines, "packages": packages, "cases": cases}


def programs(only):
    """Those that are asked for, in the order of the alphabet."""
    names = sorted(n[:-3] for n in os.listdir(PROGRAMS) if n.endswith(".py"))
    unknown = [n for n in only if n not in names]
    if unknown:
        raise SystemExit(f"ecosystem: there is no program {', '.join(unknown)}\n  fix: --list shows the names")
    return [read_program(os.path.join(PROGRAMS, n + ".py")) for n in names if not only or n in only]


def run(program, side, timeout):
    """The program in one environment: what it said, and its arrays."""
    out = os.path.join(ROOM, "results", side, program["name"])
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    script = os.path.join(HOME, "tools", "ecosystem_run.py")
    quiet = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
             "WANDB_MODE": "offline", "PYTHONWARNINGS": "ignore", "MPLBACKEND": "Agg", "CUDA_VISIBLE_DEVICES": "",
             "NO_ALBUMENTATIONS_UPDATE": "1", "YOLO_OFFLINE": "true"}
    for name in ("PYTHONPATH", "PYTHONHOME"):
        quiet.pop(name, None)
    late = None
    with open(os.path.join(out, "log.txt"), "w", encoding="utf-8") as log:
        try:
            subprocess.run([python(side), script, program["path"], out, *program["packages"]], env=quiet, stdout=log,
                           stderr=subprocess.STDOUT, timeout=timeout)
        except subprocess.TimeoutExpired:
            late = f"it was stopped after {timeout} seconds"
    if not os.path.exists(os.path.join(out, "said.json")):
        return {"cases": {}, "versions": {}, "import": f"the process did not start: {out}/log.txt says why"}, {}
    with open(os.path.join(out, "said.json"), encoding="utf-8") as file:
        said = json.load(file)
    for case in said["cases"].values() if late else ():
        if case["error"] == "the process ended here":
            case["error"] = late
    with np.load(os.path.join(out, "values.npz"), allow_pickle=True) as file:
        return said, dict(file)


# the comparison

def difference(ours, theirs):
    """(the largest difference over the largest number, whether that is rounding only)"""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return None, False
    if not ours.size:
        return 0.0, True
    if ours.dtype.kind not in "fc":
        return float(not np.array_equal(ours, theirs)), bool(np.array_equal(ours, theirs))
    odd = ~np.isfinite(theirs)
    if not np.array_equal(odd, ~np.isfinite(ours)) or not np.array_equal(ours[odd], theirs[odd], equal_nan=True):
        return None, False
    a, b = ours[~odd].astype("c16"), theirs[~odd].astype("c16")
    if not b.size:
        return 0.0, True
    largest = float(np.abs(a - b).max() / max(float(np.abs(b).max()), 1e-3))
    return largest, largest <= ROUNDING.get(str(ours.dtype), ROUNDING_OTHERS)


def belongs(where, case):
    return where == case or where.startswith(case + ".")


def compare(case, ours, theirs):
    """A row's result: agrees, differs, fails, or that PyTorch fails, too; with the largest difference and the ratio."""
    (mine, my_arrays), (other, their_arrays) = ours, theirs
    absent = {"error": "it was not run", "texts": {}}
    a, b = mine["cases"].get(case, absent), other["cases"].get(case, absent)
    a_error, b_error = mine.get("import") or a["error"], other.get("import") or b["error"]
    if b_error:
        return {"result": "fails on PyTorch, too" if a_error else "fails on PyTorch only", "why": b_error}
    if a_error:
        return {"result": "fails", "why": a_error}
    row = {"result": "agrees", "difference": 0.0, "seconds": [a["seconds"], b["seconds"]]}
    mine, other = ({k: v for k, v in arrays.items() if belongs(k, case)} for arrays in (my_arrays, their_arrays))
    if sorted(mine) != sorted(other) or sorted(a["texts"]) != sorted(b["texts"]):
        names = {*mine, *a["texts"]} ^ {*other, *b["texts"]}
        return {**row, "result": "differs", "why": f"only one of them gives {sorted(names)[0]}"}
    for where, text in b["texts"].items():
        if a["texts"][where] != text:
            ours, theirs = parting(a["texts"][where], text)
            return {**row, "result": "differs", "why": f"{where} is {ours!r}, not {theirs!r}"}
    for where, value in other.items():
        size, same = difference(mine[where], value)
        if size is not None:
            row["difference"] = max(row["difference"], size)
        if not same:
            row.update(result="differs", why=f"{where}: {describe(mine[where], value, size)}")
            return row
    return row


def parting(ours, theirs):
    """Two texts from shortly before the place where they part."""
    at = max(0, len(os.path.commonprefix([ours, theirs])) - 20)
    return ours[at:at + 60], theirs[at:at + 60]


def describe(ours, theirs, size):
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)}, not {theirs.dtype}{list(theirs.shape)}"
    return "other values are infinite or NaN" if size is None else f"off by {size:.1e} of the largest"


# the page

def table(kept):
    """The rows of all packages as Markdown, a line for each case."""
    lines = ["| package | what was run | result | largest difference | time, weft / PyTorch |",
             "| --- | --- | --- | --- | --- |"]
    for name in sorted(kept, key=str.lower):
        entry, shown = kept[name], f"{name} {kept[name]['version']}"
        for row in entry["cases"].values():
            why = row.get("note") or row.get("why")
            result = row["result"] + (f": {why}" if why and row["result"] != "agrees" else "")
            size = f"{row['difference']:.0e}" if row.get("difference") else "0" if "difference" in row else ""
            ratio = f"{row['seconds'][0] / row['seconds'][1]:.2f}" if "seconds" in row else ""
            ratio += "*" if ratio and entry.get("busy") else ""
            lines.append("| " + " | ".join(c.replace("|", "\\|") for c in (shown, row["what"], result, size, ratio)) +
                         " |")
            shown = ""
    return lines


def page(kept):
    rows = [row for entry in kept.values() for row in entry["cases"].values()]
    good = sum(row["result"] == "agrees" for row in rows)
    fair = sum("PyTorch" not in row["result"] for row in rows)
    return "\n".join([
        "# Packages on weft, beside PyTorch", "",
        "Written by `make ecosystem` (`tools/ecosystem.py`); each package's program is in `tools/ecosystem/`. The "
        "packages come from PyPI and are",
        f"not patched. One environment has PyTorch {TORCH} (CPU), the other weft and `weft as-torch on`; both run the "
        "same program with the same seed,",
        "from which both draw the same weights and data.", "",
        f"{good} of the {fair} cases that run on PyTorch agree, of {len(kept)} packages.", "",
        "- *agrees*: numbers, types, shapes, strings and tokens are the same, numbers but for rounding (2e-4 of the "
        "largest number of a result;",
        "  1e-8 in float64). The largest difference is over the largest number of its result.",
        "- The time is that of the whole case, model building and all; most are too short to say much. Those with a *",
        "  were taken beside other work on the machine, and say nothing.", "",
        *table(kept)]) + "\n"


def read_kept():
    if not os.path.exists(KEPT):
        return {}
    with open(KEPT, encoding="utf-8") as file:
        return json.load(file)


def keep(name, entry):
    """All rows, with a package's new ones; read anew, since another run may go on beside this one."""
    kept = dict(sorted({**read_kept(), name: entry}.items()))
    with open(KEPT, "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1)
        file.write("\n")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page(kept))


# the command

def one(program, options):
    """A package: installed, run twice, compared. Its entry for the page, or None if it can't be installed."""
    for side in ("torch", "weft"):
        problem = install(program, side, options.again)
        if problem:
            print(f"{program['name']}: can't be installed beside {side}: {problem}")
            return None
    busy = os.getloadavg()[0] > os.cpu_count() if hasattr(os, "getloadavg") else False
    sides = {side: run(program, side, options.timeout) for side in ("torch", "weft")}
    versions = sides["weft"][0]["versions"]
    if versions != sides["torch"][0]["versions"]:
        print(f"{program['name']}: the environments have different versions: {versions} beside weft, "
              f"{sides['torch'][0]['versions']} beside PyTorch\n  fix: --again installs anew")
        return None
    rows = {}
    for side in sides:
        if "import" in sides[side][0]:
            print(f"  the program can't be imported beside {side}: {sides[side][0]['import']}")
    for case, (what, note) in program["cases"].items():
        rows[case] = row = {"what": what, **compare(case, sides["weft"], sides["torch"])}
        if note and row["result"] != "agrees":
            row["note"] = note
        times = "  {:.2f} s, PyTorch {:.2f} s".format(*row["seconds"]) if "seconds" in row else ""
        size = f" ({row['difference']:.0e})" if "difference" in row else ""
        print(f"  {case:24} {row['result']}{size}{times}" + (f"\n      {row['why']}" if "why" in row else ""),
              flush=True)
    return {"version": versions.get(program["packages"][0], "?"), "versions": versions, "busy": busy, "cases": rows}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="the packages to run, with commas; all otherwise")
    parser.add_argument("--list", action="store_true", help="show the packages and their cases, run nothing")
    parser.add_argument("--again", action="store_true", help="ask pip again, even for what is installed")
    parser.add_argument("--timeout", type=int, default=1200, help="seconds that a program may take")
    options = parser.parse_args(arguments)
    asked = programs([n for n in options.only.split(",") if n])
    if options.list:
        for program in asked:
            print(program["name"], *(f"  {c}: {what}" for c, (what, _) in program["cases"].items()), sep="\n")
        return 0
    try:
        for side in ("torch", "weft"):
            make_environment(side)
        for i, program in enumerate(asked):
            print(f"[{i + 1}/{len(asked)}] {program['name']}", flush=True)
            entry = one(program, options)
            if entry is not None:
                keep(program["name"], entry)
    except KeyboardInterrupt:
        print("\necosystem: stopped; what was done until here is kept")
        return 130
    kept = read_kept()
    wrong = [f"{p['name']}: {c}" for p in asked if p["name"] in kept
             for c, row in kept[p["name"]]["cases"].items() if row["result"] in ("fails", "differs")]
    print(f"{len(asked)} packages, {len(wrong)} cases fail or differ" + "".join(f"\n  {w}" for w in wrong))
    return 0


if __name__ == "__main__":
    sys.exit(main())
