"""Builds weft as a package; without a compiler the install still works, in plain Python, and says so.

What is compiled, and how, stands in tools/builder.py. WEFT_NO_BUILD=1 compiles nothing, WEFT_REQUIRE_BUILD=1 makes a
failure to compile an error, WEFT_SETS="v3 v4" chooses the instruction sets, WEFT_JOBS=4 how many compilers run at once.
"""
import os
import shutil
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools"))
import builder  # noqa: E402


class Build(build_ext):
    """Any failure to compile leaves the plain-Python core, which needs no compiler."""

    def run(self):
        try:
            products = builder.build(bool(self.inplace))[0] if self.extensions else {}
        except builder.Failed as failure:
            if os.environ.get("WEFT_REQUIRE_BUILD"):
                raise SystemExit(f"weft: {failure}") from None
            print("\n" + builder.explain(failure) + "\n", file=sys.stderr)
            self.extensions = []
            return
        builder.put(products, "." if self.inplace else self.build_lib)


class WithExamples(build_py):
    """The examples are installed as weft/examples, where `weft examples` finds them; they are no package."""

    def run(self):
        super().run()
        if not self.editable_mode:
            shutil.copytree("examples", os.path.join(self.build_lib, "weft", "examples"), dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("__pycache__", "*.pt", "*.html"))


def extensions():
    if os.environ.get("WEFT_NO_BUILD"):
        return []
    if os.name == "nt":         # the kernels are written for GCC and Clang
        return on_windows()
    return [Extension(name, []) for name in builder.names("--inplace" in sys.argv)]


def on_windows():
    """The compiled core by setuptools' own road."""
    try:
        import numpy
        from Cython.Build import cythonize
    except ImportError as missing:
        print(f"weft: {missing.name} is not here, so the plain-Python core is installed (slower)", file=sys.stderr)
        return []
    made = [Extension(os.path.splitext(path)[0].replace(os.sep, "."), [path], language="c++",
                      include_dirs=[numpy.get_include(), "weft/kernels"],
                      extra_compile_args=["/O2", "/std:c++20"]) for path in builder.modules()]
    return cythonize(made, compiler_directives=builder.DIRECTIVES, build_dir="build/cython")


setup(ext_modules=extensions(),
      cmdclass={"build_py": WithExamples} if os.name == "nt" else {"build_py": WithExamples, "build_ext": Build})
