"""The names and numbers of the native loops: what an op's body may give as `native`.

They stand in one place, cpp/pointwise_ops.h: built kernels know them from there, and where none run (WEFT_PURE=1, no
compiler) they are read from the file itself, so that a misspelt name is found everywhere.
"""
import os
import re

from weft.kernels import fast

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpp", "pointwise_ops.h")


def read(text):
    """[(family, name)] of a table's text, in the order of their codes."""
    kinds = {"UNARY_WHOLE": None, "BINARY_WHOLE": None, "BINARY_OVER": None}        # else a name before the _
    found = [(kinds.get(kind, f"CHAINED {letters}" if letters else kind.split("_")[0]), name)
             for kind, name, letters in re.findall(r'^([A-Z_]+)\((\w+)(?:, "([xb]+)")?', text, re.M)]
    return [(family, name) for family, name in found if family is not None]


def _names():
    found = fast.native_names()
    if found is None:
        with open(TABLE, encoding="utf-8") as file:
            found = read(file.read())
    return found


CALLED_AS = {"PRODUCT": "BINARY", "COMPARISON": "BINARY", "TEST": "UNARY"}


def numbered(names):
    """{family: {name: code}}; products and comparisons are called as functions of two arrays, tests of one."""
    families = {"UNARY": {}, "BINARY": {}, "VIEW": {}, "CHAINED": {}}
    for code, (family, name) in enumerate(names, 1):
        families[CALLED_AS.get(family) or family.split()[0]][name] = code
    return families


_NAMES = _names()
_FAMILIES = numbered(_NAMES)
UNARY, BINARY, VIEWS, CHAINED = (_FAMILIES[family] for family in ("UNARY", "BINARY", "VIEW", "CHAINED"))
# what a code takes and gives in a chain, a letter for each: x of the chain's type, b bool
LETTERS = {code: {"UNARY": "xx", "BINARY": "xxx", "COMPARISON": "xxb", "TEST": "xb"}.get(family) or family.split()[1]
           for code, (family, _) in enumerate(_NAMES, 1) if family not in ("PRODUCT", "VIEW")}
PRODUCTS = {code for code, (family, _) in enumerate(_NAMES, 1) if family == "PRODUCT"}


def codes_of(native, op):
    """(binary, unary, view) codes of what an op's body gives as `native`: -1, -1 and 0 for what it is not."""
    if native is None:
        return -1, -1, 0
    found = BINARY.get(native, -1), UNARY.get(native, -1), VIEWS.get(native, 0)
    if found == (-1, -1, 0):
        import difflib  # only for the error
        near = difflib.get_close_matches(str(native), [*UNARY, *BINARY, *VIEWS], 1, 0)
        raise TypeError(f"op {op}: there is no native loop {native!r}; the nearest name is {near[0]!r}\n"
                        f"  fix: correct it, or add its line to weft/kernels/cpp/pointwise_ops.h and run `make build`")
    return found
