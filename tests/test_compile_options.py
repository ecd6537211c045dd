"""What programs written for torch.compile pass to it, decorate with it, and say to torch.compiler and torch._dynamo."""
import asyncio
import copy
import functools
import pickle
import warnings

import numpy as np
import pytest

import weft
from weft import nn


@weft.compile(fullgraph=True)
def doubled(x):
    """Twice."""
    return x * 2


class Model(nn.Module):
    """A layer whose methods are compiled each in its way."""

    def __init__(self, k):
        super().__init__()
        self.layer, self.k = nn.Linear(3, 3), k
        nn.init.constant_(self.layer.weight, k)
        nn.init.zeros_(self.layer.bias)

    @weft.compile
    def forward(self, x):
        return self.layer(x)

    @weft.compile(mode="reduce-overhead")
    def scaled(self, x, *, by=1):
        return self.layer(x).sum() * by

    @staticmethod
    @weft.compile
    def static(x):
        return x + 1

    @classmethod
    @weft.compile
    def of_class(cls, x):
        return x + len(cls.__name__)

    @property
    @weft.compile
    def total(self):
        return self.layer.weight.sum()


GIVEN = [{}, {"mode": None}, {"mode": "default"}, {"mode": "reduce-overhead"}, {"mode": "max-autotune"},
         {"dynamic": True}, {"dynamic": False}, {"fullgraph": True}, {"options": {"epilogue_fusion": True}},
         {"options": {}}, {"disable": True}, {"backend": "inductor"}, {"backend": "eager"}, {"backend": "aot_eager"},
         {"backend": "cudagraphs", "dynamic": None}, {"name": "f"}, {"recompile_limit": 3}, {"isolate_recompiles": True}]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_what_pytorch_takes_is_taken(given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in (weft.compile(lambda x: x.sin() + 1, **given), weft.compile(**given)(lambda x: x.sin() + 1)):
            assert all(weft.equal(function(weft.ones(2)), weft.ones(2).sin() + 1) for _ in range(3))


@pytest.mark.parametrize("given,kind", [
    ({"mode": "fastest"}, RuntimeError), ({"backend": "inductr"}, weft._dynamo.exc.InvalidBackend),
    ({"mode": "default", "options": {}}, RuntimeError), ({"model": 3}, TypeError), ({"model": weft.ones(1)}, TypeError),
    ({"model": classmethod(len)}, TypeError)])
def test_what_pytorch_refuses_is_refused(given, kind):
    with pytest.raises(kind):
        weft.compile(**{"model": len, **given})


def test_methods_of_all_kinds():
    one, two, x = Model(1.0), Model(2.0), weft.ones(2, 3)
    for _ in range(3):
        assert [one(x).sum().item(), two(x).sum().item(), two.scaled(x, by=2).item()] == [18, 36, 72]
        assert Model.static(x).sum() == one.static(x).sum() == 12 and Model.of_class(x).sum() == 36
        assert [one.total.item(), two.total.item()] == [9, 18]
        assert functools.partial(two.scaled, x)(by=3).item() == 108


def test_a_class_stayed_no_class():
    @weft.compile
    class Net(nn.Module):
        def forward(self, x):
            return x * 2

    @weft.compile
    class Caller:
        def __call__(self, x):
            return x * 3

    @weft.compile
    class Plain:
        size = 3
    for make in (Net, Caller):
        made = make()
        assert isinstance(made, make) and all(made(weft.ones(1)).item() in (2, 3) for _ in range(3))
    assert Net.forward.calls == Caller.__call__.calls == 3 and Plain().size == 3


def test_a_compiled_function_of_a_module_was_not_pickled():
    assert pickle.loads(pickle.dumps(doubled)) is doubled is copy.deepcopy(doubled)
    assert pickle.loads(pickle.dumps(Model.scaled)) is Model.scaled
    one = copy.deepcopy(weft.compile(nn.Linear(2, 2)))
    assert pickle.loads(pickle.dumps(one))(weft.ones(2)).shape == (2,) and list(one.state_dict()) == ["weight", "bias"]
    assert doubled._torchdynamo_orig_callable is doubled.__wrapped__ and doubled.__doc__ == "Twice."


def test_generators_and_coroutines_run_as_they_are():
    w = weft.ones(3, requires_grad=True)

    @weft.compile
    def rising(x):
        for k in range(3):
            (x * w * k).sum().backward()
            yield w.grad.clone()

    @weft.compile
    async def awaited(x):
        await asyncio.sleep(0)
        y = x * 2
        await asyncio.sleep(0)
        return y + 1

    async def several():
        return [y.sum().item() for y in await asyncio.gather(*[awaited(weft.ones(2) * k) for k in range(3)])]
    for _ in range(3):
        w.grad = None
        assert [g[0].item() for g in rising(weft.ones(3))] == [0, 1, 3]
        assert asyncio.run(several()) == [2, 6, 10]


def test_the_stance_is_checked_and_a_name_of_a_backend_registered():
    f = weft.compile(lambda x: x + 1)
    with weft.compiler.set_stance("force_eager"):
        assert f(weft.ones(1)).item() == 2
    assert weft.compiler.set_stance("default")(lambda: 3)() == 3
    with pytest.raises(RuntimeError, match="invalid stance"):
        weft.compiler.set_stance("nope")

    @weft._dynamo.register_backend(name="mine")
    def compiler(graph, inputs):
        return graph.forward
    try:
        assert "mine" in weft._dynamo.list_backends() and weft._dynamo.lookup_backend("mine") is compiler
        with pytest.warns(UserWarning, match="the backend compiler is not called"):
            assert weft.compile(lambda x: x + 1, backend="mine")(weft.ones(1)).item() == 2
    finally:
        del weft.compiler.BACKENDS["mine"]
    weft.compiler.set_default_backend("eager")
    assert weft.compiler.get_default_backend() == "eager"
    weft.compiler.set_default_backend(None)
    assert weft.compiler.get_default_backend() == "inductor"


def test_what_is_said_to_the_compiler_changes_nothing():
    dynamo, said = weft._dynamo, weft.compiler

    @dynamo.error_on_graph_break(True)
    @said.nested_compile_region
    @said.disable(recursive=False)
    def part(x):
        dynamo.graph_break()
        said.cudagraph_mark_step_begin()
        with dynamo.error_on_graph_break(False):
            return x * 2
    x = weft.ones(3)
    for mark in (dynamo.mark_dynamic, dynamo.maybe_mark_dynamic, dynamo.mark_static, dynamo.decorators.mark_unbacked):
        mark(x, 0)
    f = weft.compile(lambda x: part(dynamo.nonstrict_trace(weft.sin)(x)), options={
        "guard_filter_fn": said.skip_all_guards_unsafe})
    with dynamo.config.patch(recompile_limit=3, cprofile=True):
        assert all(weft.equal(f(x), x.sin() * 2) for _ in range(3))
    assert dynamo.utils.counters["frames"]["total"] == 0 and said.save_cache_artifacts() is None
    wrapped = weft.compile(said.wrap_numpy(lambda a, b: (np.sin(a) * b, a.sum())))
    for _ in range(3):
        one, two = wrapped(x, np.float32(2))
        assert weft.allclose(one, x.sin() * 2) and two == 3
