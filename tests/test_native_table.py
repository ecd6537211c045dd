"""The table of native loops, weft/kernels/cpp/pointwise_ops.h: one line for each, and names that are checked."""
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

import weft
from weft.kernels import codes, fast
from weft.ops.core import registry

HOME = os.path.dirname(os.path.abspath(weft.__file__))

MISSPELT = '''
import weft, numpy as np
from weft.ops.core.registry import FLOATING, op
try:
    @op
    class exponential:
        """e**x"""
        tags, native = FLOATING, "sigmoyd"
        def forward(x): return np.exp(x)
except TypeError as error:
    print(error)
'''


@pytest.mark.parametrize("environment", [{}, {"WEFT_PURE": "1"}, {"WEFT_KERNELS": "reference"}], ids=str)
def test_a_misspelt_native_is_an_error_with_the_nearest_name(environment):
    made = subprocess.run([sys.executable, "-c", MISSPELT], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(HOME), **environment})
    said = "op exponential: there is no native loop 'sigmoyd'; the nearest name is 'sigmoid'"
    assert made.stdout.startswith(said), made.stderr


def test_the_file_says_what_the_kernels_say():
    with open(codes.TABLE, encoding="utf-8") as file:
        written = codes.read(file.read())
    assert len({name for _, name in written}) == len(written)
    assert fast.native_names() is None or fast.native_names() == written
    families = codes.numbered(written)
    assert families == {"UNARY": codes.UNARY, "BINARY": codes.BINARY, "VIEW": codes.VIEWS, "CHAINED": codes.CHAINED}
    assert {"exp", "neg"} <= families["UNARY"].keys() and {"add", "lt", "mm_nt"} <= families["BINARY"].keys()


def test_every_name_is_used():
    named = {getattr(op, kind) for op in registry.OPS_BY_NAME.values()
             for kind in ("binary_code", "unary_code", "view_code")}
    sources = "".join(open(path, encoding="utf-8").read() for path in glob.glob(HOME + "/**/*.py*", recursive=True)
                      if path.endswith((".py", ".pyx")))
    unused = [name for family in (codes.UNARY, codes.BINARY, codes.VIEWS) for name, code in family.items()
              if code not in named and not re.search(rf'(?:BINARY|UNARY)\["{name}"|"{name}"\]', sources)]
    assert not unused


def test_a_line_is_all_that_a_name_needs():
    with open(codes.TABLE, encoding="utf-8") as file:
        text = file.read().replace("UNARY_PLAIN(neg,", "UNARY_PLAIN(thrice, CHEAP, 3 * x)\nUNARY_PLAIN(neg,")
    assert codes.numbered(codes.read(text))["UNARY"]["thrice"] == 1


@pytest.mark.slow
@pytest.mark.skipif(fast.base is None or not shutil.which("g++"), reason="needs the kernels and a compiler")
def test_a_line_is_all_that_a_loop_needs(tmp_path):
    """The elementwise kernels, with one line more in the table, as an extension of their own."""
    cpp = tmp_path / "cpp"
    shutil.copytree(os.path.join(HOME, "kernels", "cpp"), cpp)
    table = cpp / "pointwise_ops.h"
    first = "UNARY_PLAIN(neg,"
    table.write_text(table.read_text().replace(first, "UNARY_PLAIN(thrice, CHEAP, 3 * x)\n" + first))
    (cpp / "asked.cpp").write_text('''
        #include "pointwise_rows.h"
        namespace weft {
        KERNEL(thrice) {        // an array of floats, in place
            Array x;
            if (!read(args, n, x)) return nullptr;
            const char* in[] = {x.data};
            unary_row(code::thrice, x.type).row(x.size, x.data, in, 0, nullptr);
            return not_taken();
        }
        }''')
    include = [f"-I{path}" for path in (cpp, np.get_include(), sysconfig.get_paths()["include"])]
    sources = [str(cpp / name) for name in ("module.cpp", "pointwise_unary.cpp", "asked.cpp")]
    subprocess.run(["g++", "-shared", "-fPIC", "-std=c++20", "-O0", "-w", "-DWEFT_MODULE=_thrice", *include, *sources,
                    "-o", str(tmp_path / "_thrice.so")], check=True)
    code = "import _thrice, numpy as np; x = np.array([1.5, -2], 'f4'); _thrice.thrice(x); print(x.tolist())"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert made.stdout.strip() == "[4.5, -6.0]", made.stderr
