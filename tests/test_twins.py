"""Modules that exist twice, compiled (.pyx) and plain (.py): the same names, and the same answers wherever the plain
one gives one (None or False stands for a case that it doesn't take).
"""
import ast
import gc
import importlib
import importlib.util
import itertools
import os
import re
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest

import weft
from weft._pure import PURE

HOME = os.path.dirname(os.path.abspath(weft.__file__))
TWINS = ("core/runtime", "tensor/calls", "kernels/native", "kernels/rng", "kernels/rows", "kernels/listed",
         "batching/schedule", "batching/table")
compiled_only = pytest.mark.skipif(PURE, reason="needs the compiled twin beside the plain one")

rng = np.random.default_rng(0)
BASE = rng.standard_normal((2, 3, 4))
ARRAYS = [np.asarray(a) for kind in ("f4", "f8", "i8", "i4", "u1", "?", "c8", "c16", "f2", ml_dtypes.bfloat16)
          for x in (BASE.astype(kind),) for a in (x, x[0], x.T, x[:, ::2], x[:, :1], x[0, 0, 0], x[:1, :1, :1],
                                                  x[:0], np.broadcast_to(x[:, :1], (2, 3, 4)), x.copy(order="F"))]


def plain(name):
    spec = importlib.util.spec_from_file_location("plain_" + os.path.basename(name), os.path.join(HOME, name + ".py"))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def written(path):
    with open(os.path.join(HOME, path), encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("name", TWINS)
def test_functions_and_parameters_are_the_same(name):
    """Whatever the plain twin defines for others, the compiled one defines with parameters of the same names."""
    compiled = {}
    for found, params in re.findall(r"^(?:cpdef|def) (?:\w+ )?(\w+)\(([^)]*)\)", written(name + ".pyx"), re.M):
        compiled[found] = [p.split("=")[0].split()[-1].strip("*") for p in params.split(",") if p.strip()]
    for node in ast.parse(written(name + ".py")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            params = [a.arg for a in node.args.args] + ([node.args.kwarg.arg] if node.args.kwarg else [])
            assert compiled.get(node.name) == params, node.name


@pytest.fixture(scope="module")
def native():
    return importlib.import_module("weft.kernels.native"), plain("kernels/native")


def same(got, want):
    if isinstance(want, np.ndarray):
        assert got.shape == want.shape and got.dtype == want.dtype and (got == want).all() or want.size == 0
        assert want.size == 0 or np.shares_memory(got, want)
    else:
        assert got == want and type(got) is type(want)


@compiled_only
@pytest.mark.parametrize("name", ["is_inexact", "is_half", "is_complex", "overlaps", "shape"])
def test_questions_about_one_array(native, name):
    for a in ARRAYS:
        same(getattr(native[0], name)(a), getattr(native[1], name)(a))


@compiled_only
@pytest.mark.parametrize("name", ["same_layout", "same_type"])
def test_questions_about_two_arrays(native, name):
    for a, b in itertools.product(ARRAYS[::3], ARRAYS):
        same(getattr(native[0], name)(a, b), getattr(native[1], name)(a, b))


@compiled_only
def test_scalar(native):
    for a in ARRAYS:
        got, want = native[0].scalar(a), native[1].scalar(a)
        assert got is None or got == want and type(got) is type(want)
        assert got is not None or want is None or a.dtype not in ("f4", "f8", "i8", "?")


@compiled_only
def test_keeps_alone(native):
    for a, b in itertools.product(ARRAYS[:20], ARRAYS[:20]):
        if a.shape == b.shape:
            same(native[0].keeps_alone(a, b), native[1].keeps_alone(a, b))


@compiled_only
def test_views(native):
    compiled, python = native
    for a in ARRAYS:
        for i, j in itertools.product(range(a.ndim), repeat=2):
            same(compiled.transpose(a, i, j), python.transpose(a, i, j))
        if a.flags.writeable:
            same(compiled.strided(a, a.shape, a.strides, 0), python.strided(a, a.shape, a.strides, 0))
        for dim in range(a.ndim + 1):
            same(compiled.unsqueeze(a, dim), np.expand_dims(a, dim))
        same(compiled.expand(a, (5, *a.shape)), np.broadcast_to(a, (5, *a.shape)))
        if a.flags.c_contiguous and a.size:
            same(compiled.reshape(a, (-1,)), a.reshape(-1))
        else:
            assert compiled.reshape(a, (-1,)) is None
        assert python.unsqueeze(a, 0) is None and python.expand(a, (5, *a.shape)) is None
        assert python.reshape(a, (-1,)) is None


@compiled_only
def test_spread(native):
    for keepdim, dims in itertools.product((False, True), (None, (0,), (1,), (0, 2), (0, 1, 2))):
        a = BASE.sum(dims, keepdims=keepdim)
        a = np.asarray(a)
        same(native[0].spread(a, BASE.shape, dims, keepdim), native[1].spread(a, BASE.shape, dims, keepdim))


@compiled_only
def test_the_plain_twin_takes_no_arithmetic(native):
    a = BASE.astype("f4")
    for call in (lambda m: m.unary(1, a), lambda m: m.matmul(a, a.swapaxes(1, 2))):
        assert call(native[1]) is None
    assert not native[1].binary_into(1, a, a) and not native[1].copy_into(a, a) and not native[1].unary_into(1, a)


@compiled_only
def test_views_by_code(native):
    """The compiled one gives NumPy's view or None; the plain one leaves all of them to the references."""
    taken = 0
    for code, a in itertools.product(native[0].VIEWS.values(), ARRAYS[:10]):
        values = [None, 0, 1, 1] if a.ndim > 1 else [None, 0, 0, 0]
        assert native[1].view(code, a, values) is None
        found = outcome(native[0].view, code, a, values)
        taken += isinstance(found, np.ndarray)
        assert found is None or isinstance(found, type) or np.shares_memory(found, a) or not found.size
    assert taken


@compiled_only
def test_views_by_code_are_numpys(native):
    view, codes = native[0].view, native[0].VIEWS
    for a in ARRAYS:
        same(view(codes["squeeze"], a, [None, None]), np.squeeze(a))
        same(view(codes["permute"], a, [None, tuple(range(a.ndim))[::-1]]), a.T)
        assert view(codes["permute"], a, [None, (0,) * a.ndim]) is None or a.ndim < 2
        for dim, n in enumerate(a.shape):
            at = (slice(None),) * dim
            same(view(codes["squeeze"], a, [None, dim]), np.squeeze(a, dim) if n == 1 else a)
            for i in (0, -1, n - 1, n, -n - 1, 2**70, "a"):
                found = view(codes["select"], a, [None, dim, i])
                if type(i) is int and -n <= i < n:
                    same(found, a[(*at, i)])
                else:
                    assert found is None
            for start, length in itertools.product((0, 1, -1, n, 2**70, None), (0, 1, 2, n + 1, -1, 2**70, 1.5)):
                found = view(codes["narrow"], a, [None, dim, start, length])
                if found is not None:
                    start += n if start < 0 else 0
                    same(found, a[(*at, slice(start, start + length))])
            assert n < 2 or view(codes["narrow"], a, [None, dim, 1, n - 1]) is not None
            found = view(codes["flatten"], a, [None, dim, -1])
            if dim == a.ndim - 1 or not a.size or not np.shares_memory(a, a.reshape(*a.shape[:dim], -1)):
                assert found is None
            else:
                same(found, a.reshape(*a.shape[:dim], -1))
        for wrong in (2**70, -2**70, 2**31, "a", 1.0):
            assert view(codes["squeeze"], a, [None, wrong]) is None
            assert view(codes["select"], a, [None, wrong, 0]) is None
            assert view(codes["view"], a, [None, (wrong,)]) is None
            assert wrong == 2**31 or view(codes["expand"], a, [None, (wrong,)]) is None
        assert view(codes["view"], a, [None, (-1, 2**32, 2**32)]) is None


@compiled_only
def test_pieces_and_slabs(native):
    compiled, python = native
    for a in ARRAYS:
        for dim in range(a.ndim if a.flags.writeable else 0):
            n = a.shape[dim]
            for sizes in ((n,), (1,) * n, (0, n, 0), (n // 2, n - n // 2), ()):
                for got, want in zip(compiled.pieces(a, sizes, dim), python.pieces(a, sizes, dim), strict=True):
                    same(got, want)
            for got, want in zip(compiled.slabs(a, dim), python.slabs(a, dim), strict=True):
                same(got, want)


@compiled_only
def test_arithmetic_is_numpys(native):
    """What the plain twin leaves to the references, the compiled one gives as they do."""
    a, b = BASE.astype("f4"), np.abs(BASE[:1]).astype("f4") + 1
    for name, function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide),
                           ("maximum", np.maximum), ("minimum", np.minimum)):
        code = native[0].BINARY.get(name)
        if code is None:
            continue
        assert native[1].binary(code, a, b) is None
        for x, y in ((a, b), (a, 2.0), (2.0, b)):
            found = native[0].binary(code, x, y)
            assert found is None or (found == function(np.float32(x), np.float32(y))).all() and found.dtype == a.dtype
        target = a.copy()
        assert native[0].binary_into(code, target, 2.0) is True and (target == function(a, np.float32(2))).all()
    for name, function in (("neg", np.negative), ("abs", np.abs), ("sqrt", np.sqrt)):
        found = native[0].unary(native[0].UNARY[name], b)
        assert (found == function(b)).all() and found.dtype == b.dtype
        target = b.copy()
        assert native[0].unary_into(native[0].UNARY[name], target) is True and (target == found).all()
    np.testing.assert_allclose(native[0].matmul(a[0], a[0].T.copy()), a[0] @ a[0].T, rtol=1e-6)
    target = np.empty_like(a)
    assert native[0].copy_into(target, a) and (target == a).all()


def outcome(function, *args, **kwargs):
    """What a call gives, or the type of its error."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error)


def told(result):
    """A result as data that can be compared."""
    if isinstance(result, (tuple, list)):
        return [told(r) for r in result]
    if isinstance(result, weft.Tensor):
        return [str(result.dtype), tuple(result.shape), result.tolist(), result.requires_grad]
    if isinstance(result, np.ndarray):
        return [str(result.dtype), result.shape, result.tolist()]
    return result


@pytest.fixture(scope="module")
def calls():
    return importlib.import_module("weft.tensor.calls"), plain("tensor/calls")


def echo(*args, **kwargs):
    return [told(a) for a in args], {name: told(v) for name, v in kwargs.items()}


@compiled_only
@pytest.mark.parametrize("values", [
    list, lambda: [weft.ones(2), 3, None], lambda: [[weft.ones(2), weft.zeros(1)], (weft.ones(1), 2), [1, 2], ()],
    lambda: [weft.ones(2).half(), "name", slice(1)], lambda: [weft.ones(1)] * 24, lambda: [1] * 30,
    lambda: [weft.nn.Parameter(weft.ones(2)), [weft.nn.Parameter(weft.ones(1))]]])
def test_call_arrays(calls, values):
    for keywords in range(3):
        given = values()
        if keywords > len(given):
            continue
        names = tuple("abc"[:keywords])
        first, second = (told(outcome(m.call_arrays, echo, list(given), len(given) - keywords, names)) for m in calls)
        assert first == second and not isinstance(first, type)


@compiled_only
def test_call_arrays_hands_errors_on(calls):
    def refuse(*args):
        raise KeyError(args[0].shape)
    for m in calls:
        with pytest.raises(KeyError, match="2, 3"):
            m.call_arrays(refuse, [weft.ones(2, 3)], 1, ())


CALLS = [("exp", lambda x: (x,)), ("exp", lambda x: (x, x)), ("exp", lambda x: ()), ("exp", lambda x: (3.0,)),
         ("add", lambda x: (x, x)), ("add", lambda x: (x, 2)), ("add", lambda x: (2.5, x)), ("add", lambda x: (x,)),
         ("add", lambda x: (x, "a")), ("add", lambda x: (None, x)), ("add", lambda x: (x, x, {"alpha": 3})),
         ("add", lambda x: (x, x, {"beta": 3})), ("add", lambda x: ({"input": x, "other": x},)),
         ("sum", lambda x: (x,)), ("sum", lambda x: (x, 0)), ("sum", lambda x: (x, {"dim": 1, "keepdim": True})),
         ("sum", lambda x: (x, 7)), ("view", lambda x: (x, 3, 2)), ("view", lambda x: (x, (3, 2))),
         ("view", lambda x: (x, -1)), ("view", lambda x: (x, 5)), ("view", lambda x: (x,)),
         ("view", lambda x: (x, 1.5)),
         ("clamp_min", lambda x: (x, 0.5)), ("clamp_min", lambda x: (x, {"min": 0.5})), ("clamp_min", lambda x: (x,)),
         ("mm", lambda x: (x, x.t())), ("mm", lambda x: (x, x)), ("cat", lambda x: ([x, x], 1)),
         ("cat", lambda x: ([x, 1],)), ("max", lambda x: (x, 1)), ("softmax", lambda x: (x, -1)),
         ("sum", lambda x: (x, {"axis": 1})), ("sum", lambda x: (x, 1, {"dim": 1})), ("sum", lambda x: ({"dim": 1},)),
         ("sum", lambda x: (x, {"dim": 1, "dtype": weft.float64})), ("sum", lambda x: (x, {"x": x})),
         ("sum", lambda x: (x, {"dim": x})), ("sum", lambda x: (x, 1, {"out": weft.empty(2, dtype=x.dtype)})),
         ("cat", lambda x: ([x, x], {"dim": 1})), ("cat", lambda x: ([x, 1], {"dim": 0})),
         ("cat", lambda x: ({"dim": 1},)),
         ("transpose", lambda x: (x, {"dim1": 0, "dim0": 1})), ("transpose", lambda x: (x, {"dim0": 1})),
         ("softmax", lambda x: (x, {"dim": -1})), ("softmax", lambda x: (x, {"axis": 0})),
         ("softmax", lambda x: (x, {"dim": 5})), ("split", lambda x: (x, {"split_size": 2, "dim": 1})),
         ("max", lambda x: (x, {"dim": 1, "keepdim": True})), ("max", lambda x: (x, {"keepdims": True, "dim": 0})),
         ("narrow", lambda x: (x, 1, {"start": 0, "length": 2})), ("squeeze", lambda x: (x,)),
         ("where", lambda x: (x > 0, x, 0.0)), ("split", lambda x: (x, 2, 1)), ("lerp", lambda x: (x, x, 0.5))]


@compiled_only
@pytest.mark.parametrize("name, arguments", CALLS)
@pytest.mark.parametrize("wanted", [False, True])
def test_functions_of_ops(calls, name, arguments, wanted):
    from weft.ops.core.body import MISSING
    from weft.ops.core.registry import OPS_BY_NAME
    made = []
    for m in calls:
        x = weft.tensor(BASE[0, :2, :3], requires_grad=wanted)
        *args, last = (*arguments(x), {})
        if args and isinstance(args[-1], dict):
            last = args.pop()
        made.append(told(outcome(m.make_function(OPS_BY_NAME[name], MISSING), *args, **last)))
    assert made[0] == made[1]


@compiled_only
def test_functions_of_ops_ask_subclasses(calls):
    from weft.ops.core.body import MISSING
    from weft.ops.core.registry import OPS_BY_NAME
    asked = []

    class Asked(weft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append((func.__name__, len(args), sorted(kwargs or {})))
            return 7
    x = weft.ones(2).as_subclass(Asked)
    for m in calls:
        for name, args, keywords in (("exp", (x,), {}), ("add", (1, x), {}), ("sum", (x, 0), {}), ("cat", ([x],), {}),
                                     ("add", (x, x), {"alpha": 2}), ("clamp_min", (x, 1), {})):
            assert m.make_function(OPS_BY_NAME[name], MISSING)(*args, **keywords) == 7
    assert len(asked) == 12 and asked[:6] == asked[6:]


# the engines: the plain twin has none, and then core/random_engine.py's draws

ENGINE = [("bits32", (5,)), ("bits32", (0,)), ("bits32", (-1,)), ("bits32", ("a",)), ("bits64", (700,)),
          ("bits64", (-1,)), ("floats", (3,)), ("floats", (-1,)), ("doubles", (5,)), ("doubles", (-1,)),
          ("normals", (-1,)), ("normals", (0,)), ("seed", (7,)), ("seed", (2**64 - 1,)), ("seed", (-1,)),
          ("seed", (2**64,)), ("seed", ("a",)), ("get", ()), ("set", (np.arange(624, dtype=np.uint32), 5)),
          ("set", (np.zeros(3, np.uint32), 1)), ("set", (np.zeros(624, np.uint32), 700)),
          ("set", (np.zeros(624, np.uint32), -1)), ("set", ("a", 1))]
WHOLE = [("uniform", ((4,), np.dtype("f4"), 0.0, 1.0, None)), ("normal_fill", ((20,), np.dtype("f4"), 0.0, 1.0, None)),
         ("integers", ((4,), np.dtype("i8"), 2, 9, False, None)), ("permutation", (6,)),
         ("chances", ((9,), np.dtype("f4"), 1 << 52, None)), ("chances_by", (np.full(4, 0.5), np.empty(4))),
         ("transformed", ("exponential", (5,), np.dtype("f4"), 1.0, 0.0, None)), ("poisson", (np.full(4, 3.0),))]


@compiled_only
@pytest.mark.parametrize("name, args", ENGINE)
def test_engines(name, args):
    from weft.core.random_engine import Engine
    compiled = importlib.import_module("weft.kernels.rng")
    assert plain("kernels/rng").Engine is None
    made = []
    for kind in (compiled.Engine, Engine):
        engine = kind()
        engine.seed(3)
        engine.bits32(2)
        found = told(outcome(getattr(engine, name), *args))
        made.append([found, told(engine.get()), engine.rewound, engine.normal, told(engine.bits32(4))])
    assert made[0] == made[1]


@compiled_only
@pytest.mark.parametrize("n", [1, 2, 5, 701])
def test_normals_of_both_engines(n):
    from weft.core.random_engine import Engine
    made = []
    for kind in (importlib.import_module("weft.kernels.rng").Engine, Engine):
        engine = kind()
        engine.seed(3)
        made.append([engine.normals(n), engine.normals(2), engine.bits32(3)])
    for a, b in zip(*made, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


@compiled_only
@pytest.mark.parametrize("name, args", WHOLE)
def test_whole_distributions_are_the_compiled_engines_affair(name, args):
    """The plain one declines and draws nothing; test_rng_native.py compares what is drawn then."""
    from weft.core.random_engine import Engine
    made = Engine()
    made.seed(3)
    before = told(made.get())
    assert getattr(made, name)(*args) is None and told(made.get()) == before
    compiled = importlib.import_module("weft.kernels.rng").Engine()
    compiled.seed(3)
    assert isinstance(getattr(compiled, name)(*args), np.ndarray) and told(compiled.get()) != before


@compiled_only
def test_engines_have_the_same_methods():
    from weft.core.random_engine import Engine
    compiled = importlib.import_module("weft.kernels.rng").Engine
    names = {name for name in dir(compiled) if not name.startswith("_")}
    assert names <= set(dir(Engine())), names - set(dir(Engine()))


@compiled_only
def test_runtime():
    compiled, python = importlib.import_module("weft.core.runtime"), plain("core/runtime")
    assert compiled.COMPILED and not python.COMPILED
    for module in (compiled, python):
        old = module.set_mode_bits(5)
        assert module.mode_bits() == 5 and module.set_mode_bits(old) == 5 and module.mode_bits() == old
        old = module.set_running("net.fc1")
        assert module.running() == "net.fc1" and module.set_running(old) == "net.fc1"
        assert module.running() is old
        assert module.user_code() is test_runtime.__code__ and module.user_offset() > 0
        owner = type("Owner", (), {})
        module.attach(owner, "value", 3)
        assert owner().value == 3
    one, other = weft.ones(1), weft.ones(1)
    assert compiled.pointer_hash(one) == python.pointer_hash(one) == hash(one) != compiled.pointer_hash(other)
    one.note = 5
    assert compiled.dict_of(one) == python.dict_of(one) == {"note": 5}
    for module in (compiled, python):       # the fields of a compiled class stand in its .pxd
        plain_class = type("Plain", (), {})
        module.pure_fields(plain_class, field=3)
        assert hasattr(plain_class, "field") is (module is python)
    assert python.give_dict(type("Owner", (), {}), 0) is None
    assert outcome(compiled.set_mode_bits, "a") is TypeError


@compiled_only
def test_runtime_is_each_threads_own():
    for module in (importlib.import_module("weft.core.runtime"), plain("core/runtime")):
        old, seen = module.set_mode_bits(5), []

        def run(module=module, seen=seen):
            seen.extend([module.mode_bits(), module.running(), module.set_mode_bits(3), module.set_running("a"),
                         module.mode_bits()])
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert seen == [0, None, 0, None, 3] and module.set_mode_bits(old) == 5 and module.running() is None


@compiled_only
def test_what_a_thread_keeps_goes_with_it():
    class Kept:
        pass
    for module in (importlib.import_module("weft.core.runtime"), plain("core/runtime")):
        before, seen = module.kept(), []

        def run(module=module, seen=seen):
            one, other = Kept(), Kept()
            seen.append(module.kept())
            for value in (one, other):
                module.keep(value)
                seen.append(module.kept() is value)
            seen.extend([weakref.ref(one), weakref.ref(other)])
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        gc.collect()
        assert seen[:3] == [None, True, True] and seen[3]() is None and seen[4]() is None
        assert module.kept() is before


@compiled_only
@pytest.mark.parametrize("seed", range(8))
def test_batches_are_planned_alike(seed):
    """A random graph in both tables: the same entries are selected, grouped, gathered and left over."""
    tables = importlib.import_module("weft.batching.table"), plain("batching/table")
    schedules = importlib.import_module("weft.batching.schedule"), plain("batching/schedule")
    kinds = [importlib.import_module("weft.batching.kinds").Kind() for _ in range(3)]
    for k, kind in enumerate(kinds):
        kind.n_outs, kind.cost = k + 1, 0.1 * (k + 1)
    kinds[2].single = "never" if seed % 2 else None
    found = [planned(*pair, kinds, np.random.default_rng(seed)) for pair in zip(tables, schedules)]
    assert found[0] == found[1] and found[0][1]


def planned(tables, schedule, kinds, numbers):
    """(levels, groups, sources of their inputs, what is left) of a random graph."""
    table, values, promises = tables.Table(), 0, []
    for _ in range(60):
        which = int(numbers.integers(0, 3))
        for _ in range(int(numbers.integers(0, 3))):
            back = int(numbers.integers(-2, 12))
            table.put(values - 1 - back if 0 <= back < values else ~table.outside(kinds[which]))
        first = table.note(kinds[which], int(numbers.integers(-3, 3)), which, which != 1, None, 7, None)
        for k in range(kinds[which].n_outs):
            if numbers.random() < 0.1:
                promises.append(tables.Value())
                promises[-1].wants = which == 0
                table.promise(first + k, promises[-1])
        values += kinds[which].n_outs
    said, held = [], table.held()
    levels = table.select([v for v in held if v % 2], seed_is_whole := bool(numbers.integers(0, 2)))
    for level in range(levels):
        start_made = len(table.mades)
        groups = schedule.groups_of(table, level)
        for start, stop in groups:
            members = table.group(start, stop)
            slots = min(len(table.inputs_of(e)) for e in members)
            said.append((members, table.frees(start, stop).tolist(),
                         [repr(table.sources(start, stop, slot, start_made)) for slot in range(slots)]))
            mades = [None] * table.kind_of(members[0]).n_outs
            table.mades += mades
            placed = table.place(start, stop, len(table.mades) - len(mades), mades, True, None)
            said.append([(v.number, v.row) for v in placed])
    rest = tables.Table()
    left = table.rest(rest, Carrier())
    said.append((left, rest.held(), [rest.inputs_of(e) for e in range(rest.n)]))
    return levels, said, seed_is_whole


class Carrier:
    """Stands for a session: gives a value that has run by its number."""

    def __init__(self):
        self.known = {}

    def carried(self, table, number):
        return self.known.setdefault(number, [number])
