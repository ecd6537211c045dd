"""Builds weft's compiled core; without a compiler the install still works, in plain Python, and says so."""
import glob
import os
import platform
import sys

from setuptools import setup
from setuptools.command.build_ext import build_ext


# What Cython compiles says so itself, in its first line: `# compiled`, or `# compiled, -O1` for the bodies of larger
# ops, whose time is
# the kernels'. A `.pxd` beside a file gives the types; the .pyx files are twins of .py files that need C.
def compiled():
    """{path: flags of its own} of everything that is compiled."""
    found = {path: [] for path in sorted(glob.glob("weft/**/*.pyx", recursive=True))}
    for path in sorted(glob.glob("weft/**/*.py", recursive=True)):
        with open(path, encoding="utf-8") as file:
            first = file.readline().strip()
        if first.startswith("# compiled"):
            found[path] = first.removeprefix("# compiled").strip(", ").split()
    return found


COMPILED = compiled()
KERNEL_FLAGS = ["-fno-trapping-math", "-ffp-contract=fast", "-fvisibility=hidden", "-Wno-psabi",
                "-Wno-ignored-attributes"]
# WEFT_SANITIZE=address,undefined builds what stands in weft/kernels, and only that, so that it checks itself
# (tools/sanitize.py)
SANITIZE = ([f"-fsanitize={os.environ['WEFT_SANITIZE']}", "-fno-omit-frame-pointer", "-g1", "-O1"]
            if os.environ.get("WEFT_SANITIZE") else [])
LANGUAGE = {"language_level": 3, "embedsignature": False, "annotation_typing": False, "binding": True}


def own_flags(path):
    """What one Cython module is compiled with besides the common flags."""
    if os.name == "nt":
        return []
    if "kernels" in path:
        return ["-fno-trapping-math"] + (["-ffp-contract=off"] if "rng" in path else []) + SANITIZE
    return COMPILED[path]


def extensions():
    if os.environ.get("WEFT_NO_BUILD"):
        return []
    try:
        import numpy
        from Cython.Build import cythonize
        from setuptools import Extension
    except ImportError as missing:
        print(f"weft: {missing.name} is not here, so the plain-Python core is installed (slower)", file=sys.stderr)
        return []
    flags = ["/O2", "/std:c++20"] if os.name == "nt" else [
        "-O3", "-g0", "-std=c++20", "-fno-math-errno", "-fno-semantic-interposition",
        # of Cython's own code, and of vectors that are filled lane by lane
        "-Wno-unreachable-code", "-Wno-array-bounds", "-Wno-maybe-uninitialized", "-Wno-parentheses",
        "-Wno-stringop-overflow"]
    made = [Extension(path.rsplit(".", 1)[0].replace("/", "."), [path],
                      include_dirs=[numpy.get_include(), "weft/kernels"],
                      define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")], extra_compile_args=flags
                      + own_flags(path), extra_link_args=SANITIZE if "kernels" in path else [], language="c++")
            for path in COMPILED if (not SANITIZE or "kernels" in path)]
    # the kernels take longest, so they come first
    return kernels(flags, numpy.get_include()) + cythonize(made, compiler_directives=LANGUAGE, nthreads=os.cpu_count()
                                                           or 1, build_dir="build/cython")


# The kernels: one extension for each instruction set, of the same sources, and one of those that only move data.
# Built in place (make build): the sets that this processor can run. Built as a package: all of them. WEFT_SETS="v2 v3
# v4" overrules both.
INSTRUCTION_SETS = {"x86_64": {"v2": "x86-64-v2", "v3": "x86-64-v3", "v4": "x86-64-v4"},
                    "aarch64": {"arm64": "armv8-a"}}


def runs_here(name):
    """Whether this processor has what a set needs; True where that can't be seen."""
    needs = {"v3": {"avx2", "fma", "bmi2", "f16c", "movbe"}, "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                                                                    "avx512vl"}}.get(name, set())
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = next(line for line in file if line.startswith("flags")).split()
    except (OSError, StopIteration):
        return True
    return needs <= set(flags)


def wanted_sets(machine):
    known = INSTRUCTION_SETS.get(machine, {})
    if "WEFT_SETS" in os.environ:
        return {k: v for k, v in known.items() if k in os.environ["WEFT_SETS"].split()}
    return {k: v for k, v in known.items() if "--inplace" not in sys.argv or runs_here(k)}


def kernels(flags, numpy_headers):
    from setuptools import Extension
    if os.name == "nt":
        return []       # the kernels are written for GCC and Clang
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    sets = wanted_sets(machine)
    headers = glob.glob("weft/kernels/cpp/**/*.h", recursive=True)
    common = dict(include_dirs=[numpy_headers, "weft/kernels/cpp"], language="c++", depends=headers,
                  extra_link_args=SANITIZE)
    plain = flags + KERNEL_FLAGS + SANITIZE
    made = []
    for name, march in reversed(sets.items()):
        fewer = ["-O1"] if name == "v2" else []        # for old processors; built sooner
        made.append(Extension(f"weft.kernels._{name}", sorted(glob.glob("weft/kernels/cpp/*.cpp")),
                              define_macros=[("WEFT_MODULE", "_" + name)],
                              extra_compile_args=[*plain, *fewer, f"-march={march}"], **common))
    made.append(Extension("weft.kernels._any",
                          ["weft/kernels/cpp/module.cpp", *sorted(glob.glob("weft/kernels/cpp/any/*.cpp"))],
                          define_macros=[("WEFT_MODULE", "_any")], extra_compile_args=plain, **common))
    made.append(Extension("weft.kernels._base", sorted(glob.glob("weft/kernels/cpp/base/*.cpp")),
                          extra_compile_args=flags + SANITIZE, **common))
    return made


class OptionalBuild(build_ext):
    """Any failure to compile leaves the plain-Python core, which needs no compiler."""

    said = False

    def run(self):
        try:
            super().run()
        except Exception as error:
            self._fall_back(error)

    def build_extension(self, ext):
        if ext.name.startswith("weft.kernels._"):
            return self.build_kernels(ext)
        if os.environ.get("WEFT_REQUIRE_BUILD"):
            return super().build_extension(ext)
        try:
            super().build_extension(ext)
        except Exception as error:
            self._fall_back(error)
            self.extensions = []

    def build_kernels(self, ext):
        """Compile what changed, source by source: setuptools alone would rebuild all, and mix the instruction sets'
        objects.
        """
        place = os.path.join(self.build_temp, ext.name.rsplit(".", 1)[-1])
        newest = max(map(os.path.getmtime, [*ext.depends, "setup.py"]))
        objects = []
        for source in ext.sources:
            made = os.path.join(place, os.path.splitext(source)[0] + ".o")
            objects.append(made)
            if not os.path.exists(made) or os.path.getmtime(made) < max(newest, os.path.getmtime(source)):
                self.compiler.compile([source], output_dir=place, macros=ext.define_macros,
                                      include_dirs=ext.include_dirs, extra_postargs=ext.extra_compile_args)
        target = self.get_ext_fullpath(ext.name)
        if not os.path.exists(target) or os.path.getmtime(target) < max(map(os.path.getmtime, objects)):
            self.compiler.link_shared_object(objects, target, extra_postargs=ext.extra_link_args, target_lang="c++",
                                             build_temp=place)

    def _fall_back(self, error):
        if os.environ.get("WEFT_REQUIRE_BUILD"):
            raise error
        if OptionalBuild.said:
            return
        OptionalBuild.said = True
        print(f"\nweft: the compiled core could not be built ({error}).\n"
              f"weft: installing the plain-Python core: everything works, small ops are several times slower.\n"
              f"weft: with a C++ compiler (Debian: apt-get install g++) reinstall for full speed.\n", file=sys.stderr)


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})
