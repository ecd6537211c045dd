"""Runs native code under sanitizers: the kernels with the tests that touch them, the thread pool and the allocator on
their own.

    python tools/sanitize.py [address] [threads] [-- pytest arguments]

`address`: AddressSanitizer and UndefinedBehaviorSanitizer. A copy of the tree under build/sanitize is built with them
(all that stands in weft/kernels), and its tests run with the sanitizer's library loaded first. `threads`:
ThreadSanitizer (and AddressSanitizer) on tests/native/pool_test.cpp. A finding of a sanitizer ends the run and is an
error.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
PLACE = HOME / "build" / "sanitize"
CXX = os.environ.get("CXX", "g++")
# beside tests/test_*_kernels.py: whatever else runs C++ of ours
ALSO = ("test_rng_native.py", "test_factors.py", "test_spares.py", "test_select.py", "test_pointwise.py",
        "test_reduce.py", "test_sort.py", "test_index.py", "test_inplace.py", "test_pool_threads.py", "test_thrift.py",
        "test_twins.py", "test_capture_passes.py", "test_capture_fusion.py", "test_capture_places.py",
        "test_capture_segments.py", "test_small_ops.py", "test_listed.py", "test_grid_sample.py", "test_creation.py")
SETTINGS = {
    # CPython itself leaks
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:abort_on_error=0:allocator_may_return_null=1:"
                        "detect_odr_violation=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


def say(text):
    print(f"sanitize: {text}", flush=True)


def copied():
    """A copy of the tree in which the parts that are to be checked are missing, so that they are built anew."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for name in ("weft", "tests", "tools"):
        _update(HOME / name, PLACE / name)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        if (HOME / name).exists():
            shutil.copy2(HOME / name, PLACE / name)
    if (HOME / "build" / "cython").exists():
        _update(HOME / "build" / "cython", PLACE / "build" / "cython")


def _update(source, target):
    """Copy what changed; the copy's own builds of weft/kernels stay, so that a second run is quick."""
    for path in source.rglob("*"):
        made = target / path.relative_to(source)
        if path.is_dir() or "__pycache__" in path.parts or path.suffix == ".so" and path.parent.name == "kernels":
            continue
        made.parent.mkdir(parents=True, exist_ok=True)
        if not made.exists() or made.stat().st_mtime != path.stat().st_mtime:
            shutil.copy2(path, made)
    for path in list(target.rglob("*.py")) if target.exists() else []:
        if not (source / path.relative_to(target)).exists():
            path.unlink()


def library(name):
    """The full path of a sanitizer's run-time library, or None where the compiler has none."""
    path = subprocess.run([CXX, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
    return os.path.realpath(path) if os.path.isabs(path) else None


def instruction_set():
    """The best set of kernels for this processor."""
    code = "from weft.kernels import _base; print(_base.instruction_set())"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HOME,
                          env={**os.environ, "PYTHONPATH": str(HOME)})
    return made.stdout.strip() or "v3"


def check_addresses(extra):
    asan = library("libasan.so")
    if asan is None:
        say(f"{CXX} has no AddressSanitizer: nothing was checked")
        return 1
    chosen = instruction_set()
    say(f"building weft/kernels ({chosen}) with address,undefined in {PLACE.relative_to(HOME)}")
    copied()
    env = {**os.environ, "WEFT_SANITIZE": "address,undefined", "WEFT_SETS": chosen, "WEFT_REQUIRE_BUILD": "1"}
    if subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=PLACE, env=env,
                      stdout=subprocess.DEVNULL).returncode:
        say("FAILED: the build")
        return 1
    tests = [*sorted((PLACE / "tests").glob("test_*_kernels.py")),
             *[PLACE / "tests" / name for name in ALSO if (PLACE / "tests" / name).exists()]]
    preload = [lib for lib in (asan, library("libubsan.so"), library("libstdc++.so.6")) if lib]
    env = {**os.environ, **SETTINGS, "LD_PRELOAD": " ".join(preload), "PYTHONMALLOC": "malloc",
           "PYTHONPATH": str(PLACE), "WEFT_SANITIZED": "1"}
    # pytest keeps what is written to the screen to itself, so the sanitizers write to files
    finding = PLACE / "finding"
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        env[name] += f":log_path={finding}"
    results = {}
    for test in tests:
        say(f"running {test.name}")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", str(test),
                   *extra]
        run = subprocess.run(command, cwd=PLACE, env=env)
        found = sorted(PLACE.glob("finding.*"))
        for path in found:
            print(path.read_text(errors="replace"))
            path.unlink()
        results[test.name] = run.returncode in (0, 5) and not found
    return report("address,undefined", results)


NATIVE = {"pool_test": ("pool", "memory", "arena"), "board_test": ("board", "pulse")}  # and what of cpp/base they test


def check_threads():
    results = {}
    for name, parts in NATIVE.items():
        sources = [f"tests/native/{name}.cpp", *[f"weft/kernels/cpp/base/{part}.cpp" for part in parts]]
        # a child of a process under ThreadSanitizer can't start threads, so forks are left to the others
        for kind, arguments in (("thread", ("300", "no-fork")), ("address,undefined", ("300",)), ("none", ("1000",))):
            results.update(check_program(name, sources, kind, arguments))
    return report("threads", results)


def check_program(name, sources, kind, arguments):
    """Build and run a program with a sanitizer: {what was checked: whether it is right}."""
    program = HOME / "build" / f"{name}_{kind.split(',')[0]}"
    program.parent.mkdir(exist_ok=True)
    flags = [] if kind == "none" else [f"-fsanitize={kind}", "-fno-omit-frame-pointer"]
    build = [CXX, "-std=c++20", "-O1", "-g", *flags, "-Iweft/kernels/cpp", *sources, "-pthread", "-o", str(program)]
    say(f"{name}.cpp, sanitizer: {kind}")
    if subprocess.run(build, cwd=HOME).returncode:
        return {f"{name} ({kind}): build": False}
    env = {**os.environ, **SETTINGS,
           "ASAN_OPTIONS": SETTINGS["ASAN_OPTIONS"].replace("detect_leaks=0", "detect_leaks=1")}
    try:
        return {f"{name} ({kind})": subprocess.run([str(program), *arguments], env=env, timeout=300).returncode == 0}
    except subprocess.TimeoutExpired:
        return {f"{name} ({kind}): no end after 300 s": False}


def report(what, results):
    for name, good in results.items():
        say(f"{'passed' if good else 'FAILED'}  {name}")
    bad = [name for name, good in results.items() if not good]
    say(f"{what}: " + (f"{len(bad)} of {len(results)} FAILED" if bad else f"all {len(results)} passed, no finding"))
    return 1 if bad or not results else 0


def main(arguments):
    extra = arguments[arguments.index("--") + 1:] if "--" in arguments else []
    wanted = arguments[:arguments.index("--")] if "--" in arguments else arguments
    if unknown := set(wanted) - {"address", "threads"}:
        sys.exit(f"tools/sanitize.py: I don't know {', '.join(unknown)}; the choices are address and threads")
    wanted = wanted or ["address", "threads"]
    status = check_addresses(extra) if "address" in wanted else 0
    return (check_threads() if "threads" in wanted else 0) or status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
