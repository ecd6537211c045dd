"""Files for jit.load that were made to deceive: nothing in them runs, whatever they say."""
import io
import os
import zipfile
import zlib

import pytest

import weft
from weft import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.n = 3

    def forward(self, x):
        return self.linear(x) * self.n


def data_of(script):
    file = io.BytesIO()
    script.save(file)
    file.seek(0)
    return weft.load(file)


def load(data):
    file = io.BytesIO()
    weft.save(data, file)
    file.seek(0)
    return weft.jit.load(file)


def identity(x):
    return x


def with_text(text):
    data = data_of(weft.jit.script(identity))
    data["functions"] = {"__torch__.identity": text}
    return load(data)


EXPRESSIONS = ["open('/etc/passwd')", "__import__('os')", "eval('1')", "exec('1')", "x.__class__", "().__class__",
               "getattr(x, '__class__')", "getattr(x)", "torch.load('x')", "torch.save(x, 'x')",
               "torch.from_file('/tmp/x', shared=True, size=4)", "torch.frombuffer(x)", "torch.jit.load('x')",
               "torch.serialization.load('x')", "math.__dict__", "print.__self__", "torch.nn.functional._threshold(x)",
               "torch.nn.Module.apply(x, x)", "torch.nn.Linear.__init__(x, 1, 1)", "torch.hub.load('x', 'y')",
               "torch.nn.Linear.register_forward_hook(x, x)", "lambda: 1", "(yield)", "f'{x.__class__}'", "globals()",
               "vars(x)", "type(x)", "dir(x)", "super()", "object()", "input()", "compile('1', '', 'eval')",
               "os.system",
               "breakpoint()", "help()", "[].__class__.__base__", "x.__reduce__()", "torch.ops.os.system('x')", "b''",
               "__builtins__", "torch", "math", "torch.Tensor.numpy(x)", "torch.Tensor.__reduce__(x)", "{**open('x')}",
               "[y.__class__ for y in [1]]", "torch.set_num_threads(1)", "torch.utils.data.DataLoader", "map(x, x)",
               "isinstance(x, type)", "isinstance(x, open('x'))", "torch.jit.annotate(open('x'))", "memoryview(x)",
               "torch.compile(x)", "torch.functional.einsum", "await x", "id(x)", "callable(x)", "iter(x)",
               "torch.nn.functional.FUNCTIONS", "sorted(['x'], key=torch.nn.functional.FUNCTIONS['from_file'])"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression):
    with pytest.raises(RuntimeError, match="damaged or was made to deceive"):
        with_text(f"def identity(x):\n    return {expression}")


@pytest.mark.parametrize("statement", [
    "import os", "from os import system", "global x", "x.__class__ = 3", "del x.shape", "raise SystemExit", "raise x",
    "with open('x'): pass", "with torch.no_grad() as y: pass",
    "try:\n        pass\n    except ValueError:\n        pass",
    "def g(): pass", "class A: pass", "raise OSError('x')", "raise ValueError from x", "x.__dict__['a'] = 1",
    "async def f(): pass", "for y in open('x'): pass", "y: open('x') = open('y')", "raise ValueError(x=open('x'))",
    "assert open('x')", "while open('x'): pass", "raise KeyboardInterrupt", "match x:\n        case 1: pass"])
def test_statements(statement):
    with pytest.raises(RuntimeError, match="damaged or was made to deceive"):
        with_text(f"def identity(x):\n    {statement}\n    return x")


@pytest.mark.parametrize("text", [
    "x = 3", "def identity(x=open('x')):\n    return x", "@open('x')\ndef identity(x):\n    return x", "",
    "def identity(x, x):",
    "async def identity(x):\n    return x", "class identity: pass", "def a(x): return x\ndef b(x): return x", 3, None,
    "\0"])
def test_definitions(text):
    with pytest.raises(RuntimeError, match="damaged or was made to deceive"):
        with_text(text)


@pytest.mark.parametrize("expression", [
    "(" * 5000 + "x" + ")" * 5000, "-" * 100000 + "x", "not " * 20000 + "x", "x" + " + x" * 200000, "x" + ".T" * 100000,
    "x" + "[0]" * 50000, "[" * 150 + "]" * 150, "x if x else " * 5000 + "x", "f(" * 180 + "x" + ")" * 180,
    "isinstance(x, " + "List[" * 180 + "int" + "]" * 180 + ")"], ids=range(10))
def test_deep_nesting_is_refused(expression):
    with pytest.raises(RuntimeError, match="damaged or was made to deceive"):
        with_text(f"def identity(x):\n    return {expression}")


def test_deep_blocks_are_refused():
    text = "def identity(x):\n    if x:\n        pass\n" + "    elif x:\n        pass\n" * 20000
    with pytest.raises(RuntimeError, match="damaged or was made to deceive"):
        with_text(text)


@pytest.mark.parametrize("body, error", [
    ("return getattr(x, '__' + 'class__')", AttributeError), ("return getattr(x, 'num' + 'py')", AttributeError),
    ("return hasattr(x, '__' + 'class__')", AttributeError), ("return getattr(x, 3)", AttributeError),
    ("return x.numpy()", AttributeError), ("return x.apply_(x)", AttributeError),
    ("return x.register_hook(x)", AttributeError),
    ("return x.grad_fn", AttributeError), ("return x._array", AttributeError),
    ("return x.untyped_storage()", AttributeError),
    ("return '{0.__class__}'.format(x)", ValueError), ("return '{0[a]}'.format(x)", ValueError),
    ("return '{:{}}'.format(x, x)", ValueError), ("return 'a'.format_map(x)", AttributeError),
    ("return 'a'.encode()", AttributeError), ("return [].sort.x", AttributeError),
    ("return x.shape.__class__", RuntimeError),
    ("return x(1)", TypeError), ("return identity", NameError), ("return torch.add.x", AttributeError),
    ("y = torch.add\n    return y.function", AttributeError), ("return x.share_memory_()", AttributeError),
    ("return __torch__.identity.program", AttributeError), ("x.data.foo = 3", AttributeError),
    ("return __torch__.identity(x)", RecursionError), ("return x.set_(x)", AttributeError),
    ("return x.dtype.np", AttributeError), ("return range(3).x", AttributeError),
    ("return torch.finfo(x.dtype).x", AttributeError)])
def test_what_fails_when_it_runs(body, error):
    with pytest.raises((error, RuntimeError)) as found:
        with_text(f"def identity(x):\n    {body}")(weft.ones(1))
    assert isinstance(found.value, error) or "deceive" in str(found.value)


def changed(*path, to):
    data = data_of(weft.jit.script(Net()))
    place = data
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return data


@pytest.mark.parametrize("path, to", [
    (("modules", 1, "layer"), "Module"), (("modules", 1, "layer"), "_ConvNd"), (("modules", 1, "layer"), "functional"),
    (("modules", 1, "layer"), "Parameter"), (("modules", 1, "layer"), None),
    (("modules", 0, "class"), "__torch__.None"),
    (("modules", 1, "attributes", "forward"), {"function": "torch.add"}),
    (("modules", 1, "attributes", "__class__"), 3),
    (("modules", 1, "attributes", "_forward_hooks"), {"dict": []}),
    (("modules", 1, "attributes", "_parameters"), {"dict": []}),
    (("modules", 1, "attributes", "x"), {"function": "torch.load"}),
    (("modules", 1, "attributes", "x"), {"function": "eval"}),
    (("modules", 0, "attributes", "n"), {"function": "os.system"}), (("modules", 0, "attributes", "n"), {"other": 1}),
    (("modules", 0, "attributes", "n"), {"dtype": "load"}), (("modules", 0, "attributes", "n"), {"enum": ["a", "b"]}),
    (("modules", 0, "modules", "linear"), 0), (("modules", 0, "modules", "linear"), 99), (("modules", 0, "modules"), 3),
    (("modules", 0, "modules", "__class__"), 1), (("modules", 1, "parameters", "weight"), "x"), (("modules",), []),
    (("modules",), {}), (("tensors",), 3), (("tensors", 0), [1, 2]), (("tensors", 0, 0), "x"), (("functions",), []),
    (("functions",), {"os.system": "def f(x): return x"}), (("classes", "__torch__.Net", "kind"), "type"),
    (("classes", "__torch__.T"),
     {"kind": "tuple", "methods": {}, "properties": {}, "fields": ["a", "a"], "defaults": {}}),
    (("classes", "__torch__.E"), {"kind": "enum", "methods": {}, "properties": {}, "members": {"mro": 1}}),
    (("classes", "__torch__.E"), {"kind": "enum", "methods": {}, "properties": {}, "members": {"__class__": 1}}),
    (("values",), {"__torch__.v": 77}), (("values",), {"open": 0}),
    (("classes",), {"os": {}}), (("version",), 2), (("dialect",), "python3"), (("modules", 0, "training"), {}),
    (("classes", "__torch__.Net", "methods", "forward"), "def forward(self, x):\n    return self.__class__")])
def test_records(path, to):
    if path[-1] == "training":
        assert load(changed(*path, to=to)).training is False
        return
    with pytest.raises(RuntimeError):
        load(changed(*path, to=to))


def test_modules_deep_inside_each_other():
    data = data_of(weft.jit.script(nn.Sequential(nn.ReLU())))
    first = data["modules"][0]
    data["modules"] = [{**first, "modules": {"0": i + 1}} for i in range(500)] + [{**first, "modules": {}}]
    with pytest.raises(RuntimeError, match="inside each other"):
        load(data)


def test_containers_deep_inside_each_other():
    value = 1
    for _ in range(400):
        value = {"list": [value]}
    with pytest.raises(RuntimeError):
        load(changed("modules", 0, "attributes", "n", to=value))


# traces

@pytest.mark.parametrize("step", [
    ["call_method", "a", "numpy", {"tuple": [{"node": 0}]}, {"dict": []}],
    ["call_method", "a", "__reduce__", {"tuple": [{"node": 0}]}, {"dict": []}],
    ["get_attr", "a", "__class__", {"tuple": []}, {"dict": []}],
    ["get_attr", "a", "forward.__globals__", {"tuple": []}, {"dict": []}],
    ["get_attr", "a", "forward", {"tuple": []}, {"dict": []}],
    ["call_module", "a", "nothing", {"tuple": [{"node": 0}]}, {"dict": []}],
    ["call_function", "a", ["function", "from_file"], {"tuple": ["/tmp/weft_hostile", True, 4]}, {"dict": []}],
    ["call_function", "a", ["script", "__torch__.f"], {"tuple": []}, {"dict": []}],
    ["call_function", "a", "os.system", {"tuple": ["true"]}, {"dict": []}],
    ["other", "a", ["function", "add"], {"tuple": []}, {"dict": []}]])
def test_a_trace_reached_any_method_and_file_by_name(step):
    data = data_of(weft.jit.trace(lambda x: x + 1, weft.ones(1)))
    data["graph"].insert(1, step)
    with pytest.raises((RuntimeError, AttributeError)):
        load(data)(weft.ones(1))
    assert not os.path.exists("/tmp/weft_hostile")


@pytest.mark.parametrize("name", ["__class__", "grad_fn", "_array", "numpy", "__dict__"])
def test_a_trace_read_any_attribute(name):
    data = data_of(weft.jit.trace(lambda x: x.T, weft.ones(1, 1)))
    assert data["graph"][1][2] == ["own", "attribute"]
    data["graph"][1][3]["tuple"][1] = name
    with pytest.raises(AttributeError, match="reads no attribute"):
        load(data)(weft.ones(1, 1))


# PyTorch's own files

TRAINING = b"X\x08\x00\x00\x00training\x88"
DATA = b"\x80\x02c__torch__\nNet\n)\x81}(" + TRAINING + b"ub."


def torchscript(code, data=DATA, constants=b"\x80\x02).", packed=False):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("net/data.pkl", data)
        archive.writestr("net/constants.pkl", constants)
        archive.writestr("net/code/__torch__.py", code, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
        archive.writestr("net/version", "3\n")
    file.seek(0)
    return weft.jit.load(file)


CODE = ("class Net(Module):\n  training : bool\n  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n"
        "    return {}\n")


def test_a_file_like_pytorchs_runs():
    assert torchscript(CODE.format("torch.add(x, 1, alpha=2)"))(weft.ones(1)).item() == 3
    assert torchscript(CODE.format("torch.neg(x)") + "#" * 3000, packed=True)(weft.ones(1)).item() == -1


@pytest.mark.parametrize("expression", [
    "open('x')", "x.__class__", "__import__('os')", "torch.__class__", "os.system('x')", "ops.prim.__class__",
    "CONSTANTS.c0",
    "getattr(x, '__class__')", "lambda: 1", "print.__self__", "(" * 180 + "x" + ")" * 180 + "+" * 5000 + "x",
    "ops.prim.exec('1')",
    "__torch__.Net.__class__", "__torch__.os.system('x')"])
def test_code_of_a_file_like_pytorchs(expression):
    with pytest.raises((RuntimeError, AttributeError)):
        torchscript(CODE.format(expression))(weft.ones(1))


@pytest.mark.parametrize("expression", [
    "torch.from_file('/tmp/weft_hostile', True, 4)", "torch.load('x')", "torch.save(x, 'x')", "torch.numpy(x)",
    "torch.apply_(x, x)", "torch.set_num_threads(1)", "ops.os.system('x')", "torch.jit.load('x')",
    "torch.__reduce__(x)",
    "torch.format('{0.__class__}', x)", "torch.compile(x)", "torch._array(x)", "torch.absent_functions('x')",
    "torch.register_hook(x, x)", "torch.getattr(x, 'numpy')", "torch.import_module('os')", "torch._weft(x)"])
def test_functions_that_only_look_like_ops(expression):
    net = torchscript(CODE.format(expression))
    with pytest.raises((RuntimeError, ValueError, AttributeError)):
        net(weft.ones(1))
    assert not os.path.exists("/tmp/weft_hostile")


@pytest.mark.parametrize("data", [
    b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.", b"\x80\x02cbuiltins\neval\nX\x01\x00\x00\x001\x85R.",
    b"\x80\x02c__torch__\nOther\n)\x81}b.", b"\x80\x02K\x01.", b"\x80\x02c__torch__\nNet\n)\x81K\x05b",
    b"\x80\x02c__torch__\nNet\n)\x81q\x00}(X\x01\x00\x00\x00ah\x00ub."])
def test_pickles_of_a_file_like_pytorchs(data):
    with pytest.raises(RuntimeError):
        torchscript(CODE.format("x"), data)


def test_constants_of_a_class_call_nothing():
    code = ("class Net(Module):\n  training : bool\n  n : Final[int] = {}\n"
            "  def forward(self: __torch__.Net) -> int:\n    return self.n\n")
    assert torchscript(code.format("-3"))() == -3 and torchscript(code.format("[1, inf]"))() == [1, float("inf")]
    for expression in ("print(3)", "torch.ones([2])", "[x for x in [1]]", "lambda: 1"):
        with pytest.raises(RuntimeError, match="constant of a class"):
            torchscript(code.format(expression))


def test_packed_source_that_is_damaged():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("net/data.pkl", DATA)
        archive.writestr("net/constants.pkl", b"\x80\x02).")
        archive.writestr("net/code/__torch__.py", CODE.format("x") * 50, zipfile.ZIP_DEFLATED)
    data, at = bytearray(file.getvalue()), archive.getinfo("net/code/__torch__.py").header_offset + 60
    data[at:at + 20] = bytes(20)
    with pytest.raises(RuntimeError, match="unpacked|cut off|CRC"):
        weft.jit.load(io.BytesIO(data))


def test_source_that_would_fill_the_memory_is_cut_off():
    huge = b"#" * (64 << 20)
    assert len(zlib.compress(huge)) < 1 << 20
    with pytest.raises(RuntimeError, match="longer than"):
        torchscript(huge, packed=True)


DEEP = """def identity(x):
    deep = ()
    for _ in range(150000):
        deep = (deep,)
    held = {1: 2}
    return """


@pytest.mark.parametrize("use", ["hash(deep)", "{deep: 1}", "{deep}", "set([deep])", "dict([(deep, 1)])", "held.get(deep)",
                                 "held[deep]", "deep in held", "deep in {1}", "{y: 1 for y in [deep]}",
                                 "{y for y in [deep]}", "held.update([(deep, 1)])", "held.setdefault(deep, 1)"])
def test_the_stack_does_not_end_with_keys_of_tuples_inside_each_other(use):
    with pytest.raises(RecursionError, match="more than 100 tuples"):
        with_text(DEEP + use)(1)


@pytest.mark.parametrize("lists", ["a = []\n a.append(a)", "a = []\n for _ in range(100000):\n  a = [a]"])
@pytest.mark.parametrize("op", ["cat", "stack"])
def test_the_stack_does_not_end_with_lists_that_hold_themselves(lists, op):
    with pytest.raises(TypeError, match="expected Tensor"):
        with_text(f"def identity(x):\n {lists}\n return torch.{op}(a)")(1)


@pytest.mark.parametrize("number", ["2 ** 10**9", "9 ** 9 ** 9", "1 << 10**11", "pow(3, 10**10)", "math.factorial(10**8)",
                                    "math.comb(10**9, 5 * 10**8)", "math.perm(10**8)", "True << 2**60"])
def test_numbers_without_end_are_refused(number):
    with pytest.raises(OverflowError):
        with_text(f"def identity(x):\n return {number}")(1)


def test_a_number_that_grows_in_place_is_refused():
    for step in ("**= 10**9", "<<= 10**11"):
        with pytest.raises(OverflowError):
            with_text(f"def identity(x):\n x {step}\n return x")(3)


def test_powers_that_a_program_needs():
    assert with_text("def identity(x):\n return [2 ** 64, (-3) ** 3, 2 ** -1, x ** 0.5, 1 << 70, pow(3, 5, 7)]")(4) == [
        2 ** 64, -27, 0.5, 2.0, 1 << 70, 5]
