"""Compiles weft's core: what changed, through one queue, all or nothing.

    python tools/builder.py             # in place, as `make build` does; setup.py uses it for packages

- *What* is compiled: `modules()` (Python, by Cython) and `kernels()` (C++, once for each instruction set).
- *What changed* is known by content: every product is kept with a key made of its command and of all files that it was
  made of, headers too (the compiler lists them). So another branch and back, or a touched file, costs nothing, and
  another flag rebuilds. When nothing is to be done neither Cython nor NumPy nor setuptools is imported.
- Products are written under another name and renamed when they are whole, and extensions are put in their places when
  all are linked: neither Ctrl-C nor an error leaves half a build behind.
"""
import contextlib
import glob
import hashlib
import importlib.util
import json
import os
import platform
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = "build/native"                      # relative to HOME, as all paths here: they stand in the products' keys
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
TAG = (sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag)
DIRECTIVES = {"language_level": 3, "embedsignature": False, "annotation_typing": False, "binding": True}


# A module's body runs once, at import: Cython marks it so, and it is not optimized at all (5 % less to compile).
# Clang doesn't know the attribute, and would say so.
ONCE = ['-DCYTHON_SMALL_CODE=__attribute__((cold,optimize("O0")))', "-Wno-unknown-attributes"]

# Errors leave Cython's functions without a frame in the traceback, unless the user asks for them.
LEAVING = ["-include", "weft/core/leaving.h"]
CATCH = "__Pyx_GetException(&", "weft_catch(&"       # so an error may have no traceback when it is caught there

# Of -O2 and -O3 what Cython's code gains by: small functions inlined, errors' paths out of the way. Half their cost.
HOT = ["-finline-small-functions", "-freorder-blocks-and-partition", "-freorder-blocks-algorithm=stc",
       "-foptimize-sibling-calls", "-fstrict-aliasing", "-fcaller-saves", "-fipa-ra", "-fschedule-insns2",
       "-falign-functions=32", "-finline-functions", "--param=max-inline-insns-single=200",
       "--param=max-inline-insns-auto=30"]


class Failed(Exception):
    """The build can't be done; the message says why, in one line."""


# ---- what is compiled ----

def modules():
    """{path: flags of its own} of what Cython compiles. A .py file says so itself, in its first line: `# compiled`, or
    `# compiled, hot`, or `# compiled, -O2` with flags. `-Og` takes 40 % less to compile than the -O1 of the others, and
    stands where the ops lose at most 3 % of their time by it. A .pxd beside it gives the types; the .pyx files are
    twins of .py files that need C.
    """
    found = {path: [] for path in sorted(glob.glob("weft/**/*.pyx", recursive=True))}
    for path in sorted(glob.glob("weft/**/*.py", recursive=True)):
        with open(path, encoding="utf-8") as file:
            first = file.readline().strip()
        if first.startswith("# compiled"):
            own = first.removeprefix("# compiled").strip(", ")
            found[path] = HOT if own == "hot" else own.split()
    return found


# Built in place (make build): the best set that this processor can run. Built as a package: all of them.
# WEFT_SETS="v2 v3 v4" overrules both.
SETS = {"x86_64": {"v2": "x86-64-v2", "v3": "x86-64-v3", "v4": "x86-64-v4"}, "aarch64": {"arm64": "armv8-a"}}


def runs_here(name):
    """Whether this processor has what a set needs; True where that can't be seen."""
    needs = {"v3": {"avx2", "fma", "bmi2", "f16c", "movbe"},
             "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}.get(name, set())
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = next(line for line in file if line.startswith("flags")).split()
    except (OSError, StopIteration):
        return name != "v4"
    return needs <= set(flags)


def wanted_sets(in_place):
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    known = SETS.get(machine, {})
    if "WEFT_SETS" in os.environ:
        return {k: v for k, v in known.items() if k in os.environ["WEFT_SETS"].split()}
    if not in_place:
        return known
    best = [k for k in known if runs_here(k)][-1:]
    return {k: known[k] for k in best}


# What all of Cython's modules need (its type of functions, how classes are made, imports), compiled once instead of in
# each of them: a fifth of a second less for each of 70. There is no source of it, Cython writes it.
SHARED = "weft._shared"


# ---- how ----

def sanitize_flags():
    """WEFT_SANITIZE=address,undefined builds what stands in weft/kernels, and only that (tools/sanitize.py)."""
    kinds = os.environ.get("WEFT_SANITIZE")
    return [f"-fsanitize={kinds}", "-fno-omit-frame-pointer", "-g1", "-O1"] if kinds else []


def from_python(name):
    """This Python's own flags, without its choices of optimization, debugging and warnings."""
    found = shlex.split(sysconfig.get_config_var(name) or "")
    return [flag for flag in found if not flag.startswith(("-O", "-g", "-W")) or flag.startswith("-Wl,")]


class Toolchain:
    def __init__(self):
        env = os.environ
        self.cc = shlex.split(env.get("CC") or sysconfig.get_config_var("CC") or "cc")
        self.cxx = shlex.split(env.get("CXX") or sysconfig.get_config_var("CXX") or "c++")
        own = shlex.split(env.get("CFLAGS", "")) + shlex.split(env.get("CPPFLAGS", ""))
        common = ["-fPIC", *from_python("CFLAGS"), "-g0", "-fno-math-errno", "-fno-semantic-interposition"]
        # of Cython's own code, and of vectors that are filled lane by lane
        quiet = ["-Wno-unreachable-code", "-Wno-array-bounds", "-Wno-maybe-uninitialized", "-Wno-parentheses",
                 "-Wno-stringop-overflow"]
        numpy = numpy_headers()
        python = sorted({sysconfig.get_paths()["include"], sysconfig.get_paths()["platinclude"]})
        self.headers = [f"-I{path}" for path in [numpy, *python]]
        self.common = [*common, *quiet, "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", *self.headers]
        self.own = own
        shared = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
        self.link = [*from_python_linker(shared), *shlex.split(env.get("LDFLAGS", ""))]


def from_python_linker(shared):
    """The flags of `LDSHARED`: the compiler's name before them is ours to choose, and each is said once."""
    return list(dict.fromkeys(flag for flag in shared[1:] if flag.startswith("-") or flag == "dynamic_lookup"))


def numpy_headers():
    """NumPy's headers, found without importing it."""
    spec = importlib.util.find_spec("numpy")
    if spec is None:
        raise Failed("NumPy is not here")
    found = os.path.join(os.path.dirname(spec.origin), "_core", "include")
    if not os.path.isdir(found):
        raise Failed("NumPy 2 or later is needed")
    return found


# ---- the work, as data ----

class Work:
    """One product: what makes it, of what, and who waits for it."""

    def __init__(self, product, source, command, weight, after=()):
        self.product, self.source, self.command, self.weight = product, source, command, weight
        self.after = list(after)            # other Work that must be done before
        self.name = os.path.basename(source)
        self.is_translation = command[:1] == ["cython"]


def objects_of(name, sources, tools, flags):
    """The objects of one extension of C++, and before them the headers that they share, compiled once."""
    place = f"{PLACE}/{TAG}/{name.rsplit('.', 1)[-1]}"
    command = [*tools.cxx, "-std=c++20", "-O3", *tools.common, *flags, *tools.own]
    header = Work(f"{place}/common.h.gch", "weft/kernels/cpp/common.h", [*command, "-x", "c++-header"], 1e11)
    made = []
    for source in sources:
        one = Work(f"{place}/{os.path.splitext(os.path.basename(source))[0]}.o", source, command,
                   1e6 + os.path.getsize(source))
        # module.cpp sees NumPy's header with other definitions, and so do all of the base
        if one.name != "module.cpp" and not name.endswith("_base") and not os.environ.get("WEFT_SANITIZE"):
            one.command, one.after = [*command, "-include", f"{place}/common.h"], [header]
        made.append(one)
    return made


def kernels(tools, in_place):
    """{extension: its objects}: one for each instruction set, of the same sources, one of those that only move data,
    and the base, which chooses."""
    sanitize = sanitize_flags()
    plain = ["-fno-trapping-math", "-ffp-contract=fast", "-fvisibility=hidden", "-Wno-psabi",
             "-Wno-ignored-attributes", "-Iweft/kernels/cpp", *sanitize]
    made, sources = {}, sorted(glob.glob("weft/kernels/cpp/*.cpp"))
    for name, march in reversed(wanted_sets(in_place).items()):
        fewer = ["-O1"] if name == "v2" else []        # for old processors; built sooner
        made[f"weft.kernels._{name}"] = objects_of(f"weft.kernels._{name}", sources, tools,
                                                   [*plain, *fewer, f"-march={march}", f"-DWEFT_MODULE=_{name}"])
    made["weft.kernels._any"] = objects_of(
        "weft.kernels._any", ["weft/kernels/cpp/module.cpp", *sorted(glob.glob("weft/kernels/cpp/any/*.cpp"))], tools,
        [*plain, "-DWEFT_MODULE=_any"])
    made["weft.kernels._base"] = objects_of("weft.kernels._base", sorted(glob.glob("weft/kernels/cpp/base/*.cpp")),
                                            tools, ["-Iweft/kernels/cpp", *sanitize])
    return made


def translated(tools):
    """{extension: its object}, each after its translation by Cython. C, which compiles sooner than C++, except for what
    uses C++ itself."""
    made = {}
    if not os.environ.get("WEFT_SANITIZE"):
        target = f"{PLACE}/{TAG}/weft/_shared.c"
        translation = Work(target, SHARED, ["cython", cython_version(), "shared", *CATCH], 1e6)
        made[SHARED] = [Work(f"{PLACE}/{TAG}/weft/_shared.o", target, [*tools.cc, *tools.common, "-O1", *ONCE,
                                                                       *LEAVING, *tools.own], 1e4, [translation])]
    for path, own in modules().items():
        in_kernels = path.startswith("weft/kernels/")
        if os.environ.get("WEFT_SANITIZE") and not in_kernels:
            continue
        stem = os.path.splitext(path)[0]
        plus = path.endswith(".pyx")
        target = f"{PLACE}/{TAG}/{stem}" + (".cpp" if plus else ".c")
        size = os.path.getsize(path)
        translation = Work(target, path, ["cython", cython_version(), str(DIRECTIVES), SHARED, "c++" if plus else "c",
                                            *CATCH, *freelists(stem)], size)
        flags = ["-O1", *ONCE, *LEAVING, "-Iweft/kernels", *(["-O3"] if plus else own)]
        if in_kernels:
            flags += ["-fno-trapping-math", *(["-ffp-contract=off"] if "rng" in path else []), *sanitize_flags()]
        compiler = [*tools.cxx, "-std=c++20"] if plus else tools.cc
        made[stem.replace("/", ".")] = [Work(f"{PLACE}/{TAG}/{stem}.o", target, [*compiler, *tools.common, *flags,
                                                                                *tools.own], size, [translation])]
        made[stem.replace("/", ".")][0].name = os.path.basename(path)
    return made


def freelists(stem):
    """What a translation is told apart by where `keep_freelists` makes a difference."""
    try:
        with open(stem + ".pxd", encoding="utf-8") as file:
            return ["freelists"] if "@cython.freelist" in file.read() else []
    except FileNotFoundError:
        return []


def cython_version():
    """Cython's version, found without importing it."""
    from importlib import metadata
    try:
        found = metadata.version("Cython")
    except metadata.PackageNotFoundError:
        raise Failed("Cython is not here") from None
    if tuple(map(int, found.split(".")[:2])) < (3, 3):
        raise Failed("Cython is too old")
    return found


def names(in_place):
    """The extensions that a whole build has."""
    found = [f"weft.kernels._{name}" for name in (*wanted_sets(in_place), "any", "base")]
    return [*found, SHARED] + [os.path.splitext(path)[0].replace("/", ".") for path in modules()]


def planned(in_place):
    """{extension: [objects]} of everything."""
    tools = Toolchain()
    return tools, {**kernels(tools, in_place), **translated(tools)}


# ---- what is there already ----

def moved(told, source, target):
    """JSON with paths that lie in `source` in `target` instead; options such as -I stand before some."""
    if source == target:
        return told
    return re.sub(rf'("[-A-Za-z]*){re.escape(json.dumps(source)[1:-1])}/', lambda found: found[1] +
                  json.dumps(target)[1:-1] + "/", told)


class Kept:
    """What was built before: {product: {key, files, seconds}}, in one file. `home` is where the tree lay when that was
    begun: paths into it (of .venv's headers) are kept as they were there, so a tree that was moved or copied whole is
    still built.
    """

    def __init__(self):
        self.path = f"{PLACE}/{TAG}/kept.json"
        self.lock = threading.Lock()
        self.digests, self.home = {}, HOME
        try:
            with open(self.path, encoding="utf-8") as file:
                told = file.read()
            self.home = json.loads(told).get("home", HOME)
            self.entries = json.loads(moved(told, self.home, HOME))
            self.entries.pop("home", None)
        except (OSError, ValueError):
            self.entries = {}

    def digest(self, path):
        """What stands for a file's content: of weft's own files the content, of the others (headers of Python, NumPy
        and C) size and date."""
        if path not in self.digests:
            try:
                if path.startswith("weft/"):
                    with open(path, "rb") as file:
                        found = hashlib.sha1(file.read()).hexdigest()
                elif path in self.entries:
                    found = self.entries[path]["key"]       # made here: by what it was made of
                else:
                    stat = os.stat(path)
                    found = f"{stat.st_size} {stat.st_mtime_ns}"
            except OSError:
                found = "missing"
            self.digests[path] = found
        return self.digests[path]

    def key(self, command, files):
        told = json.dumps([command, [[path, self.digest(path)] for path in files]])
        return hashlib.sha1(moved(told, HOME, self.home).encode()).hexdigest()

    def is_good(self, work):
        entry = self.entries.get(work.product)
        return (entry is not None and os.path.exists(work.product)
                and entry["key"] == self.key(work.command, entry["files"]))

    def files(self, work):
        return self.entries.get(work.product, {}).get("files", [])

    def note(self, work, files, seconds):
        with self.lock:
            self.digests.pop(work.product, None)
            self.entries[work.product] = {"key": self.key(work.command, files), "files": files,
                                          "seconds": round(seconds, 2)}

    def save(self):
        with self.lock:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            told = moved(json.dumps({**self.entries, "home": self.home}, indent=0), HOME, self.home)
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                file.write(told)
            os.replace(self.path + ".new", self.path)


# ---- doing it ----

class Progress:
    """One live line in a terminal; elsewhere a line now and then."""

    def __init__(self, total, out=None):
        self.total, self.done, self.began, self.out = total, 0, time.monotonic(), out or sys.stderr
        self.live, self.name = self.out.isatty(), ""
        self.said = self.began

    def clock(self):
        seconds = int(time.monotonic() - self.began)
        return f"{seconds // 60}:{seconds % 60:02}"

    def show(self, name):
        self.name = name
        line = f"building {self.done}/{self.total}  {name}"
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            self.out.write("\r" + f"{line:<{max(0, min(60, width - 8))}}{self.clock():>7}"[:width])
        elif time.monotonic() - self.said >= 15:
            self.said = time.monotonic()
            self.out.write(f"{line}  {self.clock()}\n")
        self.out.flush()

    def finish(self):
        self.clear()
        self.out.write(f"built {self.total} files in {self.clock()}\n")

    def clear(self):
        if self.live:
            self.out.write("\r\033[K")
            self.out.flush()


class Crew:
    """Workers on one queue, the longest work first, so that none idles at the end."""

    def __init__(self, kept, total, jobs):
        self.kept, self.jobs, self.progress = kept, jobs, Progress(total)
        self.waiting = queue.PriorityQueue()
        self.changed = threading.Condition()
        self.left, self.failure, self.children, self.number = total, None, set(), 0

    def add(self, work, run):
        """`run(work)` when a worker is free; what took long the last time comes first."""
        seconds = self.kept.entries.get(work.product, {}).get("seconds")
        with self.changed:
            self.number += 1
            weight = seconds * 1e7 if seconds is not None else work.weight
            self.waiting.put((-weight, self.number, work, run))
            self.changed.notify()

    def run(self):
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.5)
                    with self.changed:
                        self.progress.show(self.progress.name)
        except BaseException:
            self.stop(Failed("interrupted"))
            raise
        finally:
            self.kept.save()
        if self.failure is not None:
            self.progress.clear()
            raise self.failure

    def stop(self, failure):
        with self.changed:
            self.failure = self.failure or failure
            for child in self.children:
                with contextlib.suppress(OSError):
                    os.killpg(child.pid, signal.SIGTERM)        # a compiler is more than one process
            self.changed.notify_all()

    def done(self, name):
        with self.changed:
            self.left -= 1
            self.progress.done += 1
            self.progress.show(name)
            self.changed.notify_all()

    def _work(self):
        while True:
            with self.changed:
                while self.waiting.empty() and self.left > 0 and self.failure is None:
                    self.changed.wait()
                if self.failure is not None or self.waiting.empty():
                    return
                _, _, work, run = self.waiting.get()
            try:
                run(work)
            except Failed as failure:
                return self.stop(failure)
            except BaseException as error:
                return self.stop(Failed(f"{work.name}: {error}"))

    @contextlib.contextmanager
    def child(self, command, **options):
        try:
            process = subprocess.Popen(command, start_new_session=True, **options)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from None
        with self.changed:
            self.children.add(process)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            with self.changed:
                self.children.discard(process)

    def call(self, command, name):
        """Run a compiler; its seconds of processor time. What it says is shown, and ends the build if it fails."""
        with self.child(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            said = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if said.strip() and self.failure is None:
            with self.changed:
                self.progress.clear()
                print(said.rstrip(), file=sys.stderr)
        if process.returncode:
            raise Failed(f"{os.path.basename(command[0])} could not compile {name}")
        return usage.ru_utime + usage.ru_stime


def compile_object(crew, work):
    os.makedirs(os.path.dirname(work.product), exist_ok=True)
    new, listed = work.product + ".new", work.product + ".d"
    crew.progress.show(work.name)
    seconds = crew.call([*work.command, "-MMD", "-MF", listed, "-MQ", "it", "-c", work.source, "-o", new], work.name)
    # what a precompiled header read is not in its users' lists
    files = sorted({*read_listed(listed), *(f for h in work.after if not h.is_translation for f in crew.kept.files(h))})
    os.remove(listed)
    os.replace(new, work.product)
    crew.kept.note(work, files, seconds)
    crew.done(work.name)


def read_listed(path):
    """The files that a compiler's dependency file names, without the standard library's."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ").partition(":")[2]
    return sorted({os.path.normpath(name) for name in text.replace("\\ ", "\0").split()} - {""})


def translate_all(crew, work, then):
    """All translations, in one process of Cython's; each object can begin when its own is there."""
    crew.progress.show(work.name)
    for one in work.parts:
        os.makedirs(os.path.dirname(one.product), exist_ok=True)
    command = [sys.executable, os.path.abspath(__file__), "--translate"]
    with crew.child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write(json.dumps([[one.source, one.product] for one in work.parts]))
        process.stdin.close()
        for one, line in zip(work.parts, process.stdout):
            answer = json.loads(line)
            if "error" in answer:
                if crew.failure is None:
                    crew.progress.clear()
                    print(answer["error"], file=sys.stderr)
                raise Failed(f"Cython could not translate {one.source}")
            crew.kept.note(one, answer["files"], answer["seconds"])
            crew.done(one.name)
            then(one)
        if process.wait() and crew.failure is None:
            raise Failed("Cython failed")


def replace_in(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def keep_freelists():
    """Let Cython remember the `freelist` that a .pxd gives a class: it forgets it when it comes to the class in the .py
    file, which can't say so itself, since there is no `cython` to import where weft runs.
    """
    from Cython.Compiler.Nodes import CClassDefNode
    analyse = CClassDefNode.analyse_declarations

    def analyse_and_keep(self, env):
        known = env.lookup_here(self.class_name)
        scope = known.type.scope if known is not None and known.is_type and known.type.is_extension_type else None
        size = (scope.directives or {}).get("freelist") if scope is not None else None
        analyse(self, env)
        if size and self.scope is not None and not self.scope.directives.get("freelist"):
            self.scope.directives = {**self.scope.directives, "freelist": size}
    CClassDefNode.analyse_declarations = analyse_and_keep


def translate():
    """The process that translates: [[source, product]] on its input, a line of JSON for each on its output."""
    answers, sys.stdout = sys.stdout, sys.stderr
    import io

    from Cython.Build.Dependencies import create_dependency_tree
    from Cython.Build.SharedModule import generate_shared_module
    from Cython.Compiler.Main import compile_single
    from Cython.Compiler.Options import CompilationOptions
    keep_freelists()
    for source, product in json.load(sys.stdin):
        began, said = time.process_time(), io.StringIO()
        options = CompilationOptions(compiler_directives=DIRECTIVES, output_file=product, include_path=["."],
                                     cplus=product.endswith(".cpp"), language_level=3,
                                     shared_utility_qualified_name=SHARED)
        common = CompilationOptions(shared_c_file_path=product, shared_utility_features_disabled=["MemoryView"],
                                    language_level=3)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                if source == SHARED:
                    errors = generate_shared_module(common)[0]
                else:
                    errors = compile_single(source, options, os.path.splitext(source)[0].replace("/", ".")).num_errors
            except Exception as error:
                errors = 1
                print(error)
        if not errors:
            replace_in(product, *CATCH)
        if errors:
            print(json.dumps({"error": said.getvalue().strip()}), file=answers, flush=True)
            return 1
        if source == SHARED:
            print(json.dumps({"files": [], "seconds": time.process_time() - began}), file=answers, flush=True)
            continue
        files = create_dependency_tree(quiet=True).all_dependencies(source)
        files = {os.path.relpath(path, HOME) if path.startswith(HOME + "/") else path for path in files}
        files = sorted(files | {os.path.splitext(source)[0] + ".pxd"})      # one that is not there may come
        print(json.dumps({"files": files, "seconds": time.process_time() - began}), file=answers, flush=True)
    return 0


def link(crew, work):
    os.makedirs(os.path.dirname(work.product), exist_ok=True)
    seconds = crew.call([*work.command, *work.objects, "-o", work.product + ".new"], work.name)
    os.replace(work.product + ".new", work.product)
    crew.kept.note(work, work.objects, seconds)
    crew.done(work.name)


def build(in_place=True, jobs=None):
    """Build what is not up to date; {extension: its file under build/}."""
    tools, extensions = planned(in_place)
    kept = Kept()
    objects = [one for many in extensions.values() for one in many]
    stale_c = [t for one in objects for t in one.after if t.is_translation and not kept.is_good(t)]
    redone = {t.product for t in stale_c}
    stale = [one for one in objects if one.source in redone or not kept.is_good(one)]
    redone |= {one.product for one in stale}
    headers = {h.product: h for one in stale for h in one.after if not h.is_translation and not kept.is_good(h)}
    stale = [*headers.values(), *stale]
    links = []
    for name, many in extensions.items():
        one = Work(f"{PLACE}/{TAG}/lib/{name}{SUFFIX}", name, [*tools.cxx, *tools.link, *tools.own,
                                                              *(sanitize_flags() if "kernels" in name else [])], 0)
        one.objects = [o.product for o in many]
        links.append(one)
    stale_links = [one for one in links if not redone.isdisjoint(one.objects) or not kept.is_good(one)]
    total = len(stale_c) + len(stale) + len(stale_links)
    if total:
        run_all(kept, stale_c, stale, stale_links, total, jobs or workers())
    return {one.source: one.product for one in links}, total


def workers():
    """How many compilers run at once: a processor each, or WEFT_JOBS."""
    if "WEFT_JOBS" in os.environ:
        return max(1, int(os.environ["WEFT_JOBS"]))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(kept, translations, objects, links, total, jobs):
    crew = Crew(kept, total, jobs)
    made_here = {one.product for one in [*translations, *objects]}
    first = {one.product: [t.product for t in one.after if t.product in made_here] for one in objects}
    followers = {}                          # {product: the objects that can begin when it is there}
    for one in objects:
        for product in first[one.product]:
            followers.setdefault(product, []).append(one)
    linking = {one.product: one for one in links}
    missing = {one.product: set(one.objects) & {o.product for o in objects} for one in links}

    def compiled(work):
        compile_object(crew, work)
        follow(work)
        with crew.changed:
            ready = [product for product, parts in missing.items() if work.product in parts]
            for product in ready:
                missing[product].discard(work.product)
        for product in ready:
            if not missing[product]:
                crew.add(linking[product], lambda one: link(crew, one))

    def follow(work):
        for one in followers.get(work.product, ()):
            crew.add(one, compiled)

    if translations:
        everything = Work("translations", "Cython", [], 1e12)
        everything.parts = sorted(translations, key=lambda one: -one.weight)
        crew.add(everything, lambda work: translate_all(crew, work, follow))
    for one in objects:
        if not first[one.product]:
            crew.add(one, compiled)
    for product, parts in missing.items():
        if not parts:
            crew.add(linking[product], lambda one: link(crew, one))
    crew.run()
    crew.progress.finish()


# ---- in place ----

def place_of(extension, root="."):
    return os.path.join(root, *extension.split(".")) + SUFFIX


def put(products, root="."):
    """Copy extensions to where they are imported from, each at once."""
    for extension, product in products.items():
        target = place_of(extension, root)
        old, new = (os.stat(path) if os.path.exists(path) else None for path in (target, product))
        if old is not None and (old.st_size, old.st_mtime_ns) == (new.st_size, new.st_mtime_ns):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(product, target + ".new")
        os.replace(target + ".new", target)


def clean(products):
    """Remove extensions in place that nothing builds any more: they would be imported before the .py beside them."""
    wanted = {os.path.normpath(place_of(extension)) for extension in products}
    for path in glob.glob(f"weft/**/*{SUFFIX}", recursive=True):
        if os.path.normpath(path) not in wanted:
            os.remove(path)


FALLBACK = """weft: the compiled core could not be built ({}).
weft: the plain-Python core is there: everything works, small ops are several times slower.
weft: for full speed, {} and build again."""
MISSING = {"Cython is not here": "install Cython (pip install 'Cython>=3.3')",
           "Cython is too old": "install a newer Cython (pip install 'Cython>=3.3')",
           "NumPy is not here": "install NumPy (pip install 'numpy>=2')"}


def explain(failure):
    """What a failed build says to the user."""
    compiler = "get a compiler of C++20 (Debian: apt-get install g++), or mend what it complains of,"
    return FALLBACK.format(failure, MISSING.get(str(failure), compiler))


def main():
    os.chdir(HOME)
    if sys.argv[1:] == ["--translate"]:
        return translate()
    try:
        products, _ = build()
    except Failed as failure:
        older = glob.glob(f"weft/**/*{SUFFIX}", recursive=True)
        print(f"weft: not built ({failure}); what was built before stays in use" if older else explain(failure),
              file=sys.stderr)
        return 1 if os.environ.get("WEFT_REQUIRE_BUILD") else 0
    except KeyboardInterrupt:
        print("\nstopped; what is built so far is kept", file=sys.stderr)
        return 130
    put(products)
    if not os.environ.get("WEFT_SANITIZE"):
        clean(products)
    return 0


if __name__ == "__main__":
    sys.exit(main())
