"""weft.fx: tracing, the graph and its code, interpreters, rewriting, passes; and what a trace can't contain."""
import copy
import math
import operator
import pickle
import typing

import pytest

import weft
import weft.nn.functional as F
from weft import fx, nn
from weft.fx.passes.infra.pass_base import PassBase, PassResult
from weft.fx.passes.infra.pass_manager import PassManager
from weft.fx.passes.shape_prop import ShapeProp
from weft.fx.passes.split_module import split_module
from weft.fx.passes.tools_common import legalize_graph
from weft.fx.proxy import TraceError


def stays_whole(x):
    return x if x.sum() > 0 else -x


fx.wrap("stays_whole")
fx.wrap("len")


class Pair(typing.NamedTuple):
    first: object
    second: object


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
        self.scale = nn.Parameter(weft.full((3,), 2.0))
        self.register_buffer("shift", weft.ones(3))
        self.plain = weft.tensor([1.0, 2.0, 3.0])

    def forward(self, x, *more, factor=2, **named):
        y = self.layers(x) * self.scale + self.shift - self.plain
        a, b = y.split([1, 2], dim=-1)
        y = weft.cat([b, a], dim=-1).view(y.shape[0], -1)
        y += 1
        return {"y": F.softmax(input=y, dim=-1)[:, None, 1:], "factor": [factor, y.size(0)]}


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return weft.equal(a, b) if isinstance(a, weft.Tensor) else a == b


@pytest.fixture
def net():
    weft.manual_seed(0)
    return Net()


def test_a_traced_module_gives_the_same(net):
    traced, x = fx.symbolic_trace(net), weft.randn(2, 4)
    traced.graph.lint()
    assert same(traced(x), net(x)) and same(traced(x, factor=5), net(x, factor=5))
    assert {name for name, _ in traced.named_parameters()} == {"layers.0.weight", "layers.0.bias", "scale"}
    assert [n.target for n in traced.graph.nodes if n.op == "call_module"] == ["layers.0", "layers.1"]
    traced(x)["y"].sum().backward()
    assert net.scale.grad is not None       # the parameters are shared with the module that was traced


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda m: pickle.loads(pickle.dumps(m)),
                                   fx.symbolic_trace, lambda m: fx.Transformer(m).transform()])
def test_copies_do_the_same(net, again):
    traced, x = fx.symbolic_trace(net), weft.randn(2, 4)
    made = again(traced)
    assert same(made(x), net(x))
    made.graph.lint()
    assert made.graph is traced.graph or made.graph is not traced.graph and "softmax" in made.code


def test_the_code_is_what_runs():
    traced = fx.symbolic_trace(lambda x, y=3: (x @ x.T + y) ** 2 / 2)
    assert traced.code.strip().splitlines() == [
        "def forward(self, x, y = 3):", "    getattr_1 = x.T", "    matmul = x @ getattr_1;  x = getattr_1 = None",
        "    add = matmul + y;  matmul = y = None", "    pow_1 = add ** 2;  add = None",
        "    truediv = pow_1 / 2;  pow_1 = None", "    return truediv"]


def test_inputs_of_every_kind():
    def f(a, b=2, *args, c, d=4, **kwargs):
        return a + args[0] + kwargs["k"] * c * d + b
    assert fx.symbolic_trace(f)(1, 2, 3, c=4, k=5) == f(1, 2, 3, c=4, k=5)
    with pytest.raises(RuntimeError, match="cannot be part of"):
        fx.symbolic_trace(type("Bad", (nn.Module,), {"forward": lambda *args: args[1]})())


def test_proxies_in_keywords_indices_and_factories():
    f = fx.symbolic_trace(lambda x, i: weft.zeros(x.size(0)) + weft.arange(4.0)[i] + weft.full((1,), x.shape[0]))
    assert weft.equal(f(weft.ones(2, 3), weft.tensor([1, 2])), weft.tensor([3.0, 4.0]))
    assert weft.zeros(2).shape == (2,)      # what was patched while tracing is as before


@pytest.mark.parametrize("program, kind, text", [
    (lambda x: x if x > 0 else -x, TraceError, "control flow"),
    (lambda x: [v + 1 for v in x], TraceError, "cannot be iterated"),
    (lambda x: weft.cat([x, object()]), NotImplementedError, "argument of type"),
    (lambda x: {x: 1}["a"], KeyError, "a")])
def test_what_a_trace_cannot_contain(program, kind, text):
    with pytest.raises(kind, match=text):
        fx.symbolic_trace(program)


def test_wrapped_functions_stay_single_calls_and_come_back():
    traced = fx.symbolic_trace(lambda x: stays_whole(x) * len(x) + math.sqrt(4))
    assert traced(weft.tensor([-1.0])).item() == 3.0 and 'wrap("' in traced.code
    assert fx.symbolic_trace(traced)(weft.tensor([-1.0])).item() == 3.0
    assert len([1, 2]) == 2 and math.sqrt(4) == 2.0
    with pytest.raises(NotImplementedError, match="top level"):
        fx.wrap("other")


def test_concrete_arguments():
    traced = fx.symbolic_trace(lambda x, flag: x * 2 if flag else x, {"flag": True})
    assert traced(weft.tensor(3.0), True).item() == 6.0
    with pytest.raises(AssertionError, match="specialized"):
        traced(weft.tensor(3.0), False)
    traced = fx.symbolic_trace(lambda d, y: (d["a"] + d["b"][0], {"y": y}), {"d": {"a": fx.PH, "b": [fx.PH]}})
    given = {"a": weft.tensor(1.0), "b": [weft.tensor(2.0)]}
    for one in (traced, copy.deepcopy(traced), pickle.loads(pickle.dumps(traced)), fx.Interpreter(traced).run):
        total, rest = one(given, 5)
        assert total.item() == 3.0 and rest == {"y": 5}
    with pytest.raises(RuntimeError, match="structure"):
        traced({"a": weft.tensor(1.0)}, 5)


def test_a_graph_by_hand_and_its_edits():
    graph = fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y", default_value=2)
    total = graph.call_function(operator.add, (x, y))
    graph.output(Pair(total, graph.get_attr("w")))
    module = fx.GraphModule({"w": weft.ones(1)}, graph)
    assert module(1).first == 3 and isinstance(module(1), Pair)
    with graph.inserting_after(total):
        twice = graph.call_function(operator.mul, (total, 2))
        total.replace_all_uses_with(twice, delete_user_cb=lambda user: user is not twice)
    module.recompile()
    assert module(1).first == 6 and list(total.users) == [twice] and x < twice and twice.prev is total
    with pytest.raises(RuntimeError, match="still had 1 users"):
        graph.erase_node(total)
    with pytest.raises(TypeError, match="mutation"):
        module.graph.output_node().kwargs["a"] = 1
    with pytest.raises(RuntimeError, match="not provided"):
        fx.GraphModule({}, graph)
    total.append(x)
    with pytest.raises(RuntimeError, match="before it has been defined|placeholders"):
        graph.lint()


def test_dead_code_goes_and_writes_stay():
    def f(x):
        x.exp()
        y = x.clone()
        y.add_(1)
        return y
    traced = fx.symbolic_trace(f)
    assert traced.graph.eliminate_dead_code()
    assert [n.target for n in traced.graph.nodes if n.op == "call_method"] == ["clone", "add_"]


def test_interpreter_says_which_node_failed(net):
    with pytest.raises(RuntimeError, match=r"While executing %layers_0 : .*call_module\[target=layers.0\]"):
        fx.Interpreter(fx.symbolic_trace(net)).run(weft.randn(2, 5), [], {})


def test_the_generated_line_is_shown(net, capsys):
    with pytest.raises(RuntimeError, match="linear: .*5"):
        fx.symbolic_trace(net)(weft.randn(2, 5))
    assert "<--- HERE" in capsys.readouterr().err


def test_patterns_are_replaced():
    traced = fx.symbolic_trace(lambda x, w: weft.relu(x @ w) + weft.relu(w @ x))
    found = fx.replace_pattern(traced, lambda a, b: weft.relu(a @ b), lambda a, b: weft.tanh(weft.matmul(a, b)))
    x, w = weft.randn(2, 2), weft.randn(2, 2)
    assert len(found) == 2 and weft.allclose(traced(x, w), (x @ w).tanh() + (w @ x).tanh())
    traced.graph.lint()
    shared = fx.symbolic_trace(lambda x: weft.relu(x.neg()) + x.neg())
    assert len(fx.replace_pattern(shared, lambda x: weft.relu(x.neg()), lambda x: x)) == 1
    inner = fx.symbolic_trace(lambda x: (lambda n: weft.relu(n) + n)(x.neg()))      # the inner value is used outside
    assert fx.replace_pattern(inner, lambda x: weft.relu(x.neg()), lambda x: x) == []


def test_passes(net):
    traced, x = fx.symbolic_trace(net), weft.randn(2, 4)
    ShapeProp(traced).propagate(x, [], {})
    meta = {n.name: n.meta["tensor_meta"] for n in traced.graph.nodes if "tensor_meta" in n.meta}
    assert meta["layers_0"].shape == (2, 3) and meta["layers_0"].dtype is weft.float32
    number = {}
    split = split_module(traced, net, lambda node: number.setdefault(node, len(number)) // 5)
    assert same(split(x), net(x)) and hasattr(split, "submod_0") and hasattr(split, "submod_1")
    nodes = list(traced.graph.nodes)
    nodes[-2].append(nodes[5])
    assert same(legalize_graph(traced)(x), net(x))

    class Rename(PassBase):
        def call(self, graph_module):
            return PassResult(graph_module, False)
    assert PassManager([Rename()])(traced).graph_module is traced


def test_modules_are_added_and_removed(net):
    traced = fx.symbolic_trace(net)
    assert traced.add_submodule("extra.relu", nn.ReLU()) and traced.delete_submodule("extra.relu")
    traced.add_submodule("extra.relu", nn.ReLU())
    traced.delete_all_unused_submodules()
    assert not hasattr(traced, "extra") and same(traced(weft.ones(1, 4)), net(weft.ones(1, 4)))


def test_a_folder_is_a_module_again(net, tmp_path, monkeypatch):
    traced, x = fx.symbolic_trace(net), weft.randn(2, 4)
    traced.to_folder(str(tmp_path / "written"), "Written")
    monkeypatch.syspath_prepend(str(tmp_path))
    from written import Written
    assert same(Written()(x), traced(x))


def test_lines_are_recorded_when_asked(net):
    tracer = fx.Tracer()
    tracer.record_stack_traces = True
    graph = tracer.trace(net)
    assert all("test_fx.py" in n.stack_trace for n in graph.nodes if n.op == "call_method")


def test_a_tensor_written_with_a_proxy_is_a_node():
    class Writes(weft.nn.Module):
        def forward(self, x):
            y = weft.ones(3)
            y.add_(x)
            return y
    traced = fx.symbolic_trace(Writes())
    assert traced(weft.ones(3)).tolist() == [2, 2, 2]
    assert "add_" in traced.code


def test_copies_of_modules_and_proxies_are_copies():
    import copy
    traced = fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU()))
    traced.meta["self"] = traced
    copied = copy.deepcopy(traced)
    assert copied.meta["self"] is copied
    node = next(iter(traced.graph.nodes))
    proxy = fx.Proxy(node)
    assert copy.deepcopy(proxy).node is not node


def test_enums_defaults_and_the_boxed_run():
    import enum

    class Kind(enum.Enum):
        A = 1

    def leaf(x, kind):
        return x + kind.value
    traced = fx.symbolic_trace(lambda x: leaf(x, Kind.A))
    assert traced(1) == 2
    given = fx.symbolic_trace(lambda x, y=None: x if y is None else x + y, concrete_args={"y": None})
    assert given(3) == 3
    with pytest.raises(RuntimeError, match="extra arguments"):
        fx.Interpreter(traced).boxed_run([1, 2])
    with pytest.raises(RuntimeError, match="missing arguments"):
        fx.Interpreter(traced).boxed_run([])


@pytest.mark.parametrize("layer", [nn.ReLU(), nn.LeakyReLU(), nn.GELU(), nn.Hardshrink(), nn.PixelShuffle(2),
                                   nn.Unfold(2)])
def test_a_layer_without_parameters_is_traced_by_itself(layer):
    """Its forward took *inputs, which are no inputs of a graph (wrap_output_dynamically); and input= was refused."""
    x = weft.randn(1, 4, 3, 3)
    traced = fx.symbolic_trace(layer)
    assert [n.op for n in traced.graph.nodes] == ["placeholder", "call_function", "output"]
    assert next(iter(traced.graph.nodes)).target == "input"
    assert weft.equal(traced(x), layer(x)) and weft.equal(layer(input=x), layer(x))


def test_a_layer_of_two_inputs_is_traced_by_itself():
    a, b = weft.randn(2, 3), weft.randn(2, 3)
    traced = fx.symbolic_trace(nn.CosineSimilarity())
    assert [n.name for n in traced.graph.nodes][:2] == ["x1", "x2"]
    assert weft.equal(traced(a, b), nn.CosineSimilarity()(x1=a, x2=b))


def test_ops_of_a_program_stay_single_calls():
    """They were traced through, and a subclass wasn't asked."""
    @weft.library.custom_op("test_fx::twice", mutates_args=())
    def twice(x: weft.Tensor) -> weft.Tensor:
        return x * 2
    traced = fx.symbolic_trace(lambda x: weft.ops.test_fx.twice(x) + weft.ops.aten.relu(x))
    assert "ops.test_fx.twice(x)" in traced.code and "ops.aten.relu(x)" in traced.code
    assert traced(weft.ones(2)).tolist() == [3.0, 3.0]
    asked = []

    class Asked(weft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})
    made = twice(weft.ones(1).as_subclass(Asked))
    assert asked == [twice] and type(made) is Asked and made.item() == 2


def test_ranges_of_the_profiler_as_ops():
    with weft.profiler.profile() as profile:
        handle = weft.ops.profiler._record_function_enter("my range")
        weft.ones(2).relu()
        weft.ops.profiler._record_function_exit(handle)
    assert "my range" in [event.key for event in profile.key_averages()]


# what PyTorch's own test_fx.py found

def test_a_graph_module_inside_another_stays_one_call_for_a_tracer_that_says_so():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = fx.symbolic_trace(nn.Sequential(nn.ReLU()))

        def forward(self, x):
            return self.inner(x) + 1

    class AllLeaves(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return True

    graph = AllLeaves().trace(Outer())
    assert [n.target for n in graph.nodes if n.op == "call_module"] == ["inner"]
    assert [n.target for n in fx.Tracer().trace(Outer()).nodes if n.op == "call_module"] == ["inner.0"]


def test_containers_can_be_traced_again():
    def either(flag, d):
        return d["a"] if flag else d["z"][0]

    traced = fx.symbolic_trace(either, {"flag": False, "d": {"a": fx.PH, "z": [fx.PH]}})
    given = {"a": weft.ones(2), "z": [weft.zeros(2)]}
    again = fx.symbolic_trace(traced)
    assert "tree_flatten_spec" in traced.code and "tree_flatten_spec" not in again.code
    for one in (traced, again, pickle.loads(pickle.dumps(traced))):
        assert one(False, given).tolist() == [0, 0]


def test_a_registered_container_of_proxies():
    class Box:
        def __init__(self, a, b):
            self.a, self.b = a, b

    weft.utils._pytree.register_pytree_node(Box, lambda x: ([x.a, x.b], None), lambda x, _: Box(*x))
    fx._pytree.register_pytree_flatten_spec(Box, lambda x, spec: [x.a, x.b])
    traced = fx.symbolic_trace(lambda x: x.a - x.b, {"x": Box(fx.PH, fx.PH)})
    assert traced(Box(5, 2)) == 3 and fx.symbolic_trace(traced)(Box(5, 2)) == 3


def test_concrete_arguments_in_a_tuple_leave_the_rest_to_args():
    traced = fx.symbolic_trace(lambda *args, **kwargs: args[0] + args[1], (fx.PH, fx.PH))
    assert traced(2, 3) == 5
    with pytest.raises(RuntimeError, match="expected 1 arguments but got 2"):
        fx.symbolic_trace(lambda x: x, (fx.PH, fx.PH))


def test_placeholders_take_what_their_ph_says():
    from weft.fx._symbolic_trace import PHWithMeta
    traced = fx.symbolic_trace(lambda a: a["x"] + a["y"], {"a": {"x": PHWithMeta("one"), "y": PHWithMeta("two")}})
    assert [n.ph_key for n in traced.graph.nodes if n.op == "placeholder"] == ["one", "two"]


def test_dead_code_keeps_assertions_and_writes_to_out():
    def program(x, y):
        weft._assert(x.shape[0] == 2, "two")
        weft.add(x, 1, out=y)
        x * 3
        return x

    graph = fx.symbolic_trace(program).graph
    graph.eliminate_dead_code()
    assert [n.name for n in graph.nodes if n.op == "call_function"] == ["getattr_1", "getitem", "eq", "_assert", "add"]


def test_a_proxyable_class_that_branches_on_its_input():
    class Sign(metaclass=fx.ProxyableClassMeta):
        def __init__(self, x):
            self.positive = bool(x.sum() > 0)

    traced = fx.symbolic_trace(lambda x: Sign(x))
    assert traced(weft.ones(2)).positive and not traced(-weft.ones(2)).positive


def test_another_method_than_forward():
    class Net(nn.Module):
        def forward(self, x):
            return x

        def twice(self, x):
            return x * 2

    tracer = fx.Tracer()
    tracer.traced_func_name = "twice"
    assert fx.GraphModule(Net(), tracer.trace(Net()))(3) == 6
    tracer.traced_func_name = "thrice"
    with pytest.raises(AssertionError, match="doesn't exist in Net"):
        tracer.trace(Net())


def test_methods_of_tensors_with_proxies_can_be_nodes(monkeypatch):
    held = weft.arange(6.0).reshape(2, 3)
    monkeypatch.setattr(fx._symbolic_trace, "_wrapped_methods_to_patch", [(weft.Tensor, "__getitem__")])
    traced = fx.symbolic_trace(lambda x: held[:, : x.size(0)])
    assert traced(weft.ones(2)).tolist() == [[0, 1], [3, 4]] and held[0, 1].item() == 1


def test_the_generated_code_says_where_the_program_is():
    code = fx.symbolic_trace(lambda x: x + 1).forward.__code__.co_filename
    assert code.startswith("<eval_with_key>.") and "test_fx.py" in code


def test_a_pattern_with_attributes_finds_others_of_their_kind():
    class Net(nn.Module):
        def __init__(self, name):
            super().__init__()
            self.name = name
            self.register_parameter(name, nn.Parameter(weft.ones(2)))

        def forward(self, x):
            return weft.add(getattr(self, self.name), x)

    traced = fx.symbolic_trace(Net("weight"))
    found = fx.replace_pattern(traced, fx.symbolic_trace(Net("other")), lambda x: weft.neg(x))
    assert len(found) == 1 and traced(weft.ones(2)).tolist() == [-1, -1]


def test_passes_in_the_order_that_constraints_allow():
    from weft.fx.passes.infra.pass_manager import pass_result_wrapper, this_before_that_pass_constraint
    ran = []

    def first(module):
        ran.append("first")

    def second(module):
        ran.append("second")

    passes = [pass_result_wrapper(second), pass_result_wrapper(first)]
    constraint = this_before_that_pass_constraint(passes[1], passes[0])
    manager = PassManager(passes, [constraint])
    with pytest.raises(RuntimeError, match="constraint violated"):
        manager.validate_constraints()
    manager(fx.symbolic_trace(lambda x: x))
    assert ran == ["first", "second"]
    manager.add_constraint(this_before_that_pass_constraint(passes[0], passes[1]))
    with pytest.raises(RuntimeError, match="Circular dependency"):
        manager.solve_constraints()
    with pytest.raises(RuntimeError, match="pass first failed as the first one: TypeError.*pass_result_wrapper"):
        PassManager([first])(fx.symbolic_trace(lambda x: x))
    with pytest.raises(TypeError, match="one variable"):
        manager.add_checks(lambda a, b: None)


def test_where_nodes_come_holds_without_with_too():
    graph = fx.symbolic_trace(lambda x: x + 1).graph
    total = graph.find_nodes(op="call_function")[0]
    graph.inserting_after(total)
    graph.call_function(weft.relu, (total,))
    with graph.inserting_before(total):
        graph.call_function(weft.neg, (total.args[0],))
    graph.call_function(weft.exp, (total,))
    assert [n.name for n in graph.nodes] == ["x", "neg", "add", "relu", "exp", "output"]
    graph.on_generate_code(lambda before: lambda lines: ["print(1)\n", *lines])
    assert "print(1)" in graph.python_code("self").src


def test_names_with_which_packages_write_tracers_of_their_own():
    st = fx._symbolic_trace

    class Own(fx.Tracer):
        def trace(self, root, concrete_args=None):
            self.root, self.graph = root, fx.Graph(tracer_cls=type(self))
            self.submodule_paths = {module: name for name, module in root.named_modules()}
            function, args = self.create_args_for_root(type(root).forward, True, concrete_args)

            def called(module, *args, **kwargs):
                return self.call_module(module, lambda *a, **k: st._orig_module_call(module, *a, **k), args, kwargs)

            with st._Patcher() as patcher:
                patcher.patch_method(nn.Module, "__call__", called, deduplicate=False)
                st._patch_wrapped_functions(patcher)
                st._autowrap_check(patcher, type(root).forward.__globals__, self._autowrap_function_ids)
                self.create_node("output", "output", (self.create_arg(function(*args)),), {})
            return self.graph

    assert [n.op for n in Own().trace(nn.Sequential(nn.ReLU())).nodes] == ["placeholder", "call_module", "output"]
    assert nn.Module.__call__ is st._orig_module_call and not isinstance(weft.ones(1), st.ScriptObject)


def test_asserts_and_annotations_become_part_of_a_rewritten_program():
    from weft.fx.experimental.rewriter import RewritingTracer
    limit = 2

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = 3

        def forward(self, x, more=1):
            assert x.shape[0] > limit, "too short"
            y: weft.Tensor = x * self.scale
            return y + more

    net = Net()
    traced = fx.GraphModule(net, RewritingTracer().trace(net))
    assert traced(weft.ones(3)).tolist() == [4, 4, 4] and "assert" in traced.code
    assert next(n for n in traced.graph.nodes if n.name == "mul").type is weft.Tensor
    with pytest.raises(AssertionError, match="too short"):
        traced(weft.ones(1))
    assert type(net).forward.__name__ == "forward" and net(weft.ones(3)).tolist() == [4, 4, 4]


def test_modules_that_only_the_pattern_called_go():
    pattern = nn.Sequential(nn.Sigmoid())
    traced = fx.symbolic_trace(nn.Sequential(nn.Sigmoid()))

    class Other(nn.Module):
        def __init__(self):
            super().__init__()
            self.tanh = nn.Tanh()

        def forward(self, x):
            return self.tanh(x)

    assert len(fx.replace_pattern(traced, pattern, Other())) == 1
    assert [name for name, _ in traced.named_children()] == ["tanh"]
    assert weft.equal(traced(weft.ones(2)), weft.ones(2).tanh())


def test_overloads_of_aten_ops_in_a_graph():
    aten = weft.ops.aten

    def program(x):
        aten.add_.Tensor(x, 1)
        aten.bernoulli.default(x)
        aten.mul.Tensor(x, 2)
        aten.exp(x)
        return aten.add.Tensor(x, x)

    traced = fx.symbolic_trace(program)
    assert "ops.aten.add_.Tensor(x, 1)" in traced.code and weft.equal(traced(weft.zeros(2)), weft.full((2,), 2.0))
    traced.graph.eliminate_dead_code()
    kept = [node.target.__name__ for node in traced.graph.nodes if node.op == "call_function"]
    assert kept == ["add_.Tensor", "bernoulli.default", "add.Tensor"]
