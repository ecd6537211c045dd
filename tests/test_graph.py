"""weft.graph: the graph as an object, from autograd's record and from a call; its text, picture, document, differences;
records up to an error.
"""
import inspect
import json
import math
import pickle
import re
import subprocess
import sys
import weakref
import xml.dom.minidom

import numpy as np
import pytest

import weft
from weft import nn
from weft.viz import Graph, record
from weft.viz.layout import Item, layout
from weft.viz.stats import Stats, stats


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4))
        self.head = nn.Linear(4, 2)

    def forward(self, x, times=1):
        for _ in range(times):
            h = self.encoder(x)
        return self.head(h)


@pytest.fixture
def net():
    weft.manual_seed(0)
    return Net()


def here():
    return inspect.currentframe().f_back.f_lineno


def names(nodes):
    return [node.op for node in nodes]


# from autograd's record

def test_a_loss_gives_its_nodes_with_lines_modules_and_shapes(net):
    loss = net(weft.ones(5, 3)).pow(2).mean()
    line = here() - 1
    graph = weft.graph(loss)
    assert names(graph.ops) == ["linear", "relu", "linear", "linear", "pow", "mean"]
    first, last = graph.ops[0], graph.ops[-1]
    assert (first.module, first.call, first.shape, first.dtype) == ("Net.encoder.0", 0, (5, 4), "float32")
    assert (last.module, last.shape, last.line, last.where) == ("", (), line, f"test_graph.py:{line}")
    assert last.source == "loss = net(weft.ones(5, 3)).pow(2).mean()"
    assert [p.name for p in graph.parameters] == [name for name, _ in net.named_parameters()]
    assert graph.modules["Net.encoder.0"] == {"kind": "Linear",
                                              "repr": "Linear(in_features=3, out_features=4, bias=True)"}
    assert [node.name for node in graph.outputs] == ["output"]


def test_parents_come_before_children(net):
    x = weft.ones(5, 3)
    graph = weft.graph(net(x).sum() + net(x).mean())
    seen = set()
    for node in graph:
        assert all(parent.id in seen for parent in node.parents)
        assert all(node in parent.children for parent in node.parents)
        seen.add(node.id)
    assert [node.id for node in graph] == sorted(seen)


def test_a_module_called_twice_has_two_calls(net):
    graph = weft.graph(net(weft.ones(5, 3), times=2).sum())      # of the first call nothing is used, so it is not there
    assert [node.calls for node in graph.find(op="linear", module="Net.encoder.0")] == [(0, 0, 0)]
    graph = weft.graph(net, weft.ones(5, 3), times=2)
    assert [node.calls for node in graph.find(op="linear", module="Net.encoder.0")] == [(0, 0, 0), (0, 1, 1)]


def test_several_outputs_and_leaves():
    a, b = weft.ones(3, requires_grad=True), weft.ones(3, requires_grad=True)
    total = a + b
    graph = weft.graph({"sum": total, "product": (a * b, total * 2)})
    assert [node.name for node in graph.outputs] == ["output.sum", "output.product[0]", "output.product[1]"]
    assert len(graph.inputs) == 2 and all(node.shape == (3,) for node in graph.inputs)


def test_shapes_are_known_without_the_tensors():
    x = weft.ones(2, 3, 4, requires_grad=True)
    y = (x.exp().transpose(0, 1).reshape(3, 8) @ weft.ones(8, 5)).relu().sum(1)[1:]
    found = {node.op: node.shape for node in weft.graph(y.mean()).ops}
    assert found == {"exp": (2, 3, 4), "transpose": (3, 2, 4), "reshape": (3, 8), "mm": (3, 5), "relu": (3, 5),
                     "sum": (3,), "slice": (2,), "mean": ()}


def test_inputs_without_gradient_are_there_when_they_were_saved(net):
    x = weft.ones(5, 3)
    graph = weft.graph(net(x).sum(1, keepdim=True))
    assert [node.shape for node in graph.inputs] == [(5, 3)] and graph.ops[0].parents[0] is graph.inputs[0]
    assert graph.inputs[0].module == "" and graph.parameters[0].module == "Net.encoder.0"
    assert graph.ops[-1].attrs == {"dim": 1, "keepdim": True}


def test_bytes_that_the_graph_keeps():
    x = weft.ones(100, requires_grad=True)
    graph = weft.graph((x.exp() * 2).sum())
    assert graph.find(op="exp")[0].saved_bytes == 400 and graph.find(op="exp")[0].bytes == 400
    assert graph.saved_bytes == 400
    shared = x.exp()
    assert weft.graph((shared * shared).sum()).saved_bytes == 400     # saved by both, kept once


def test_a_tensor_without_a_graph_is_refused():
    with pytest.raises(RuntimeError, match="has no graph") as caught:
        weft.graph(weft.ones(3))
    assert "weft.graph(model, x)" in str(caught.value)
    with pytest.raises(TypeError, match="expected tensors, a module or a function, not int"):
        weft.graph(3)


def test_gradient_statistics_of_the_next_backward(net):
    loss = net(weft.ones(5, 3)).sum()
    graph = weft.graph(loss, gradients=True)
    loss.backward()
    assert graph.find(op="sum")[0].grad.norm == 1.0
    assert graph.ops[-2].grad.norm == pytest.approx(math.sqrt(10))
    assert weft.graph(net(weft.ones(5,
                                    3)).sum()).parameters[0].grad.norm == pytest.approx(float(net.encoder[0].weight.grad.norm()), rel=1e-5)


# from a call

def test_a_call_records_ops_without_gradient_values_and_times(net):
    with weft.no_grad():
        graph = weft.graph(net, weft.ones(5, 3))
    assert names(graph.ops) == ["linear", "relu", "linear", "linear"]
    assert [node.name for node in graph.inputs] == ["x"] and graph.title == "Net"
    node = graph.find(op="relu")[0]
    assert node.values.min >= 0 and node.values.zero > 0 and node.time > 0
    assert sum(node.values.histogram["counts"]) == 20
    assert graph.outputs[0].parents[0].module == "Net.head"


def test_a_function_and_nested_arguments():
    graph = weft.graph(lambda batch: {"y": batch["a"][0] + batch["a"][1]}, {"a": [weft.ones(2), weft.zeros(2)]})
    assert [node.name for node in graph.inputs] == ["batch.a[0]", "batch.a[1]"]
    assert [node.name for node in graph.outputs] == ["output.y"] and graph.ops[0].op == "add"
    assert [(k, str(v)) for k, v in weft.graph(lambda: weft.ones(2, 3).sum(1)).ops[-1].attrs.items()] == [("dim", "1")]


def test_writes_in_place_become_edges():
    def step():
        x = weft.zeros(4)
        y = x[1:]
        y.add_(1)
        x[0] = 5.0
        return x * 2, y
    graph = weft.graph(step)
    mul, add = graph.find(op="mul")[0], graph.find(op="add")[0]
    assert graph.between(add, mul).ops, "what was written through a view is part of the base's history"
    assert graph.between(graph.find(op="fill")[0], mul).ops
    assert "add" in [p.op for p in graph.outputs[1].parents] or graph.between(add, graph.outputs[1])


def test_a_custom_function_is_one_node():
    class Twice(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return weft.tensor(x.detach().numpy() * 2)

        @staticmethod
        def backward(ctx, g):
            return g * 2
    x = weft.ones(3, requires_grad=True)
    graph = weft.graph(lambda: Twice.apply(x * 1).sum())
    assert names(graph.ops) == ["mul", "Twice", "sum"]
    assert graph.find(op="Twice")[0].parents[0].op == "mul" and graph.find(op="sum")[0].parents[0].op == "Twice"
    assert names(weft.graph(Twice.apply(x * 1).sum()).ops) == ["mul", "twice", "sum"]


def test_optimizer_and_backward_are_not_part_of_it(net):
    optimizer = weft.optim.Adam(net.parameters(), foreach=False)
    with record(gradients=True) as r:
        loss = net(weft.ones(5, 3)).sum()
        loss.backward()
        optimizer.step()
    graph = r.graph
    assert names(graph.ops) == ["full", "linear", "relu", "linear", "linear", "sum"]
    assert all(node.time_backward is not None and node.grad is not None for node in graph.ops[1:])
    expected = {name: float(p.grad.double().norm()) for name, p in net.named_parameters()}
    assert {p.name: pytest.approx(p.grad.norm, rel=1e-5) for p in graph.parameters} == expected


def test_recording_leaves_no_mark(net):
    from weft.core.modes import WATCH, local
    from weft.core.runtime import mode_bits
    plain = net(weft.ones(5, 3))
    with record(), record():
        seen = net(weft.ones(5, 3))
    assert np.array_equal(plain.detach().numpy(), seen.detach().numpy())
    assert mode_bits() & WATCH == 0 and local.watchers == []


def test_the_record_keeps_no_tensor_alive():
    import weakref
    with record() as r:
        x = weft.ones(10)
        held = weakref.ref((x * 2)._array)
    assert held() is None and len(r.graph) == 2


# up to an error

def test_a_failing_op_is_the_last_node(net):
    with pytest.raises(RuntimeError), record() as r:
        net(weft.ones(5, 4))
    failed = r.graph.failed
    assert failed is r.graph.nodes[-1] and (failed.op, failed.module) == ("linear", "Net.encoder.0")
    assert failed.error.startswith("RuntimeError: linear: the input has 4 features, the weight takes 3")
    assert {p.kind for p in failed.parents} >= {"parameter"}
    assert "<-- FAILED: RuntimeError: linear" in str(r.graph)
    assert 'class="failed"' in r.graph.svg()


def test_graph_of_a_failing_call_is_with_the_error(net):
    with pytest.raises(RuntimeError) as caught:
        weft.graph(net, weft.ones(5, 4))
    assert caught.value.graph.failed.op == "linear"


def test_the_page_takes_the_document(net):
    page = pytest.importorskip("weft.viz.page")
    graph = weft.graph(net, weft.ones(5, 3))
    assert graph.html() == page.html(graph.to_dict())


def test_what_ran_elsewhere_is_reported_with_its_own_line():
    from weft.core import place
    from weft.core.seam import report
    here_now = place.here()
    with record() as r:
        report(weft.add.op, [weft.ones(2), weft.ones(2)], [weft.full((2,), 2.0)],
               place.at(here_now.code, here_now.lasti),
               seconds=0.5)
    node = r.graph.find(op="add")[0]
    assert node.time == 0.5 and node.source == "here_now = place.here()" and node.shape == (2,)


def test_an_op_that_had_nothing_to_do_is_not_the_failing_one():
    with pytest.raises(ValueError), record() as r:
        weft.ones(2).contiguous().reshape(2)
        raise ValueError("later")
    assert r.graph.failed.op == "ValueError" and r.graph.failed.source == 'raise ValueError("later")'


def test_an_op_that_refuses_before_it_runs_is_named():
    with pytest.raises(ValueError), record() as r:
        nn.functional.cross_entropy(weft.ones(3, 4), weft.tensor([0, 1]))
    assert r.graph.failed.op == "cross_entropy" and "batch_size" in r.graph.failed.error


def test_the_users_own_error_is_marked_at_its_line():
    class Broken(Net):
        def forward(self, x):
            self.encoder(x)
            raise ValueError("no luck")
    with pytest.raises(ValueError), record() as r:
        Broken()(weft.ones(5, 3))
    failed = r.graph.failed
    assert (failed.op, failed.module, failed.source, failed.error) == ("ValueError", "Broken",
                                                                       'raise ValueError("no luck")',
                                                                       "ValueError: no luck")


def test_an_error_in_backward_marks_the_forward_node():
    x = weft.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError), record() as r:
        y = x * 2
        z = y.exp()
        z.add_(1)
        z.sum().backward()
    assert r.graph.failed.op == "exp" and "modified by an inplace operation" in r.graph.failed.error


# search and parts

def test_find(net):
    graph = weft.graph(net, weft.ones(5, 3))
    assert len(graph.find(op="lin*")) == 3 and len(graph.find(op="linear", module="encoder*")) == 2
    assert len(graph.find("linear", "Net.head")) == 1
    assert graph.find(kind="parameter", name="head.*", shape=(2,))[0].name == "head.bias"
    relu = graph.find(op="relu")[0]
    assert relu in graph.find(line=relu.line) and relu in graph.find(line=relu.where)
    assert graph.find(where=lambda node: node.bytes > 60, kind="op") and not graph.find(dtype=weft.float64)


def test_sub_graphs(net):
    graph = weft.graph(net, weft.ones(5, 3))
    part = graph.module("encoder")
    assert names(part.ops) == ["linear", "relu", "linear"] and [n.name for n in part.inputs] == ["x"]
    head = graph.module("head")
    assert names(head.ops) == ["linear"] and len(head.inputs) == 1 and head.inputs[0].name.endswith("linear")
    assert [node.id for node in head.ops] == [graph.find(module="Net.head", op="linear")[0].id]
    with pytest.raises(KeyError, match="no op ran in a module 'decoder'"):
        graph.module("decoder")
    relu, last = graph.find(op="relu")[0], graph.outputs[0]
    assert names(graph.above(relu).ops) == ["linear", "relu"]
    assert names(graph.below(relu).ops) == ["relu", "linear", "linear"]
    assert names(graph.between(relu, last)) == ["relu", "linear", "linear", "output"]
    assert len(graph.between(last, relu)) == 0
    assert len(graph.below(relu).edges) == 3


# differences

class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x):
        h = x[0]
        for row in x[1:]:
            h = self.cell(h + row).tanh()
        return self.out(h)


def test_diff_of_two_iterations():
    model = Steps()
    two, three = weft.graph(model, weft.ones(3, 4)), weft.graph(model, weft.ones(4, 4))
    same = two.diff(weft.graph(model, weft.ones(3, 4)))
    assert not same and str(same) == f"no change: {len(two)} nodes are alike"
    diff = two.diff(three)
    assert diff and sorted(node.op for node in diff.added) == ["add", "linear", "tanh"] and not diff.removed
    assert [(old.shape, new.shape) for old, new, what in diff.changed if new.kind == "input"] == [((3, 4), (4, 4))]
    assert diff.modules["Steps.cell"] == (1, 0, 0)
    text = str(diff)
    assert text.startswith("3 added, 0 removed,") and "shape [3, 4] -> [4, 4]" in text and "Steps.cell: 1 added\n  + (call 3) " in text
    assert sorted(node.op for node in three.diff(two).removed) == ["add", "linear", "tanh"]
    assert json.dumps(diff.to_dict())


# text

def test_text_reads_well(net):
    graph = weft.graph(net, weft.ones(5, 3), values=False)
    lines = re.sub(r"\d+(\.\d+)? [mun]s", "T", str(graph)).split("\n")
    assert lines[0] == "Graph of Net: 4 ops, 6 modules, 6 parameters (184 B), 1 input, 220 B saved for backward, T forward"
    assert lines[1].split() == ["%0", "input", "x", "[5,", "3]", "float32"]
    assert lines[2:5] == ["Net", "  encoder: Sequential", "    0: Linear(in_features=3, out_features=4, bias=True)"]
    assert lines[5].startswith("      %3 linear(x, encoder.0.weight, encoder.0.bias)")
    assert len({line.index("float32") for line in lines if "float32" in line}) == 1


def test_long_graphs_are_shortened_and_say_so():
    y = weft.ones(2, requires_grad=True)
    for _ in range(500):
        y = y * 1.5
    graph = weft.graph(y)
    lines = str(graph).split("\n")
    assert len(lines) == 62 and "... 442 lines more; graph.text(limit=None) shows all ..." in lines
    assert len(graph.text(limit=None).split("\n")) == 503


# documents

def test_document_round_trip(net, tmp_path):
    graph = weft.graph(net, weft.ones(5, 3), times=2)
    graph.nodes[-1].values = stats(np.array([np.nan, np.inf]))
    made = json.loads(graph.to_json())
    assert made["format"] == "weft-graph" and made["version"] == 1 and made["title"] == "Net" and made["iteration"] is None
    assert set(made["nodes"][3]) >= {"id", "op", "kind", "name", "module", "call", "file", "line", "source", "shape",
                                     "dtype", "bytes", "saved_bytes", "time", "time_backward", "values", "grad",
                                     "failed", "error"}
    assert made["nodes"][-1]["values"]["norm"] == "nan"
    again = Graph.from_dict(made)
    assert again.to_json() == graph.to_json() and str(again) == str(graph)
    assert str(pickle.loads(pickle.dumps(graph))) == str(graph)
    graph.save(tmp_path / "graph.json")
    assert str(Graph.load(tmp_path / "graph.json")) == str(graph)
    with pytest.raises(ValueError, match="no weft-graph of version 1"):
        Graph.from_dict({"format": "other"})
    with pytest.raises(ValueError, match="names a node that is not in the document"):
        Graph.from_dict({**made, "edges": [[0, 10**6]]})
    with pytest.raises(ValueError, match="let the name end in one of"):
        graph.save(tmp_path / "graph.doc")


# pictures

def test_svg_is_well_formed_and_names_everything(net):
    graph = weft.graph(net, weft.ones(5, 3))
    text = graph.svg()
    assert xml.dom.minidom.parseString(text).documentElement.tagName == "svg"
    for word in ("encoder: Sequential", "linear", "relu", "[5, 4] float32", "weight [4, 3]", "test_graph.py:"):
        assert word in text
    bundle = graph._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"} and bundle["image/svg+xml"] == graph._repr_svg_()
    assert set(graph._repr_mimebundle_(include={"text/plain"})) == {"text/plain"}


def test_names_are_escaped():
    assert "a&lt;b&gt;" in Graph([weft.viz.Node(0, "a<b>", shape=(1,), dtype="float32")]).svg()


def rectangles(root):
    """(item, depth) of all items."""
    stack = [root]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(item.children or ())


def assert_no_overlap(root):
    for box in rectangles(root):
        children = box.children or []
        for i, a in enumerate(children):
            assert (a.x >= box.x and a.y >= box.y and a.x + a.width <= box.x + box.width + 1e-6
                    and a.y + a.height <= box.y + box.height + 1e-6)
            for b in children[i + 1:]:
                apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
                assert apart, (a.key, b.key)


@pytest.mark.parametrize("seed", range(8))
def test_layout_never_overlaps(seed):
    rng = np.random.default_rng(seed)
    leaves, boxes = [], [[] for _ in range(6)]
    for i in range(40):
        leaves.append(Item(i, float(rng.integers(30, 200)), float(rng.integers(20, 90))))
        boxes[rng.integers(6)].append(leaves[-1])
    inner = [Item(("box", k), children=items, title_width=float(rng.integers(10, 300)))
             for k, items in enumerate(boxes[:3])]
    root = Item("root", children=[Item("outer", children=[*inner[:2], *boxes[3]]), inner[2], *boxes[4], *boxes[5]])
    edges = [(leaves[a], leaves[b]) for a, b in {tuple(sorted(rng.choice(40, 2, replace=False))) for _ in range(60)}]
    routes = layout(root, edges)
    assert_no_overlap(root)
    for (a, b), points in zip(edges, routes):
        assert points[0] == (a.x + a.width / 2, a.y + a.height) and points[-1] == (b.x + b.width / 2, b.y)


def test_large_graphs_without_recursion():
    y = weft.ones(2, requires_grad=True)
    for _ in range(10_000):
        y = y * 1.0
    graph = weft.graph(y.sum())
    assert len(graph) == 10_003
    text = graph.svg(limit=50)
    assert len(text) < 60_000 and re.search(r"\.\.\. 9,\d\d\d more", text)
    assert len(graph.above(graph.nodes[-1])) == 10_003
    assert not graph.diff(Graph.from_dict(graph.to_dict()))


# statistics

def test_stats():
    found = stats(np.array([[0.0, 1.0], [np.nan, 3.0]], np.float32))
    assert (found.min, found.max, found.nan, found.inf, found.zero) == (0.0, 3.0, 1, 0, 0.25)
    assert (found.mean == pytest.approx(4 / 3) and found.norm == pytest.approx(math.sqrt(10))
            and found.std == pytest.approx(np.std([0, 1, 3])))
    assert sum(found.histogram["counts"]) == 3
    assert stats(np.zeros(0)) is None and stats(np.array([1 + 1j])).max == pytest.approx(math.sqrt(2))
    assert stats(np.full(5, 7)).histogram["counts"][16] == 5 and stats(np.full(5, 7)).std == 0
    assert stats(np.array([1e300, 1e300])).norm == pytest.approx(math.sqrt(2) * 1e300)
    assert stats(np.array([1e4, 1e4 + 1], np.float32)).std == pytest.approx(0.5, rel=1e-6)
    assert stats(np.array([np.inf, -np.inf])).to_dict()["norm"] == "inf"
    assert Stats.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert stats(weft.tensor([1.5, 2.5]).bfloat16()._array).max == 2.5


def test_the_histogram_of_very_many_values_has_the_shape_of_all():
    values = np.random.default_rng(0).standard_normal((1000, 1001)).astype("f4")
    values[:, 0] = 3
    found, low, high = stats(values).histogram["counts"], values.min(), values.max()
    every = np.histogram(values, 32, (low, high))[0]
    assert abs(sum(found) - values.size) < 0.01 * values.size
    assert np.abs(np.array(found) - every).max() < 0.1 * every.max()


def broken(*arguments, **options):
    """(op, way, what) of where a graph's trouble began."""
    graph = weft.graph(*arguments, gradients=True, **options)
    found = graph.trouble
    copy = weft.viz.Graph.from_dict(json.loads(graph.to_json()))
    assert copy.trouble == found and copy.to_dict().get("trouble") == found
    return found and (found["label"], found["way"], found["what"])


def step(make):
    """A call that runs a forward and its backward."""
    def run(*given):
        loss = make(*given)
        loss.backward()
    return run


X = weft.tensor([0.0, 1.0, 2.0], requires_grad=True)


@pytest.mark.parametrize("make, expected", [
    (lambda x: x.log().sum(), ("log", "forward", "Inf")),
    (lambda x: (x.log() - x.log()).sum(), ("log", "forward", "Inf")),               # NaN, of that infinity
    (lambda x: (x - 1).sqrt().sum(), ("sqrt", "forward", "NaN")),
    (lambda x: x.sqrt().sum(), ("sqrt", "backward", "Inf")),                        # finite, but not its slope
    (lambda x: weft.where(x > 0, x.log(), x).sum(), ("log", "forward", "Inf")),     # cut away, and back as 0 * inf
    (lambda x: (x * 1000).exp().reciprocal().sum(), ("exp", "forward", "Inf")),
    (lambda x: x.masked_fill(x > 0, float("-inf")).softmax(0).square().sum(), None),
    (lambda x: (x * 0 + x.detach().masked_fill(x > -1, float("-inf"))).softmax(0).sum(), ("softmax", "forward", "NaN")),
    (lambda x: (x * weft.tensor(float("nan"))).sum(), ("data", "forward", "NaN")),
    (lambda x: x.exp().sum(), None)], ids=["log", "inf-inf", "sqrt", "slope", "where", "exp", "mask", "row", "given", "well"])
def test_nan_points_at_the_line_that_made_it(make, expected):
    assert broken(step(make), X) == expected


def test_a_parameter_that_is_broken_before_is_no_fault_of_an_op():
    net = weft.nn.Linear(3, 2)
    with weft.no_grad():
        net.weight[0, 0] = float("nan")
    assert broken(step(lambda x: net(x).sum()), weft.ones(1, 3)) == ("weight", "given", "NaN")


def test_the_first_graph_with_nan_is_kept():
    from weft.viz.run import Run
    run = Run(keep=3)
    for i in range(40):
        x = weft.tensor([0.0 if i >= 17 else 1.0])
        run.add_graph(weft.graph(lambda x: x.log().sum(), x), i)
    kept = {g["iteration"]: g["trouble"] for g in run.to_dict()["graphs"]}
    assert 17 in kept and kept[17]["label"] == "log" and [g["trouble"] for g in run.more(0)["graphs"]][0] is None


def test_inputs_have_the_users_names():
    images, batch, scale = weft.randn(2, 3), {"labels": weft.ones(2, 4)}, weft.ones(4, requires_grad=True)
    net = weft.nn.Linear(3, 4)
    net.table = weft.ones(4)

    def forward(x):
        return net(x) * net.table * scale - batch["labels"]
    with weft.viz.record() as recording:
        forward(images)
    found = {node.name for node in recording.graph.inputs}
    assert found == {"images", "net.table", "scale", "batch['labels']"}
    assert {node.name for node in weft.graph(forward(images)).inputs} >= {"images", "scale"}


def test_import_weft_brings_none_of_it():
    code = ("import sys, weft; print([m for m in sys.modules if m.startswith(('weft.viz', 'weft.inspect', "
            "'weft.autograd.numerics', 'weft.autograd.steps'))])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_nodes_tell_the_kind_of_their_op():
    x = weft.randn(2, 3, requires_grad=True)
    y = weft.zeros(2, 4)
    y[:, 0] = 1 * x[:, 0]
    loss = nn.functional.layer_norm(nn.Linear(4, 4)(y), (4,)).reshape(-1).sum()
    for graph in (weft.graph(loss), weft.graph(lambda t: nn.functional.layer_norm(t @ t.mT, (2,)).reshape(-1).sum(), x)):
        found = {node.op: node.family for node in graph.ops}
        assert found["sum"] == "reduce" and {"norm", "shape"} <= set(found.values())
        assert [node.family for node in Graph.from_dict(graph.to_dict())] == [node.family for node in graph]
        assert {node.family for node in graph if node.kind != "op"} == {""}
    assert {"linear", "index"} <= {node.family for node in weft.graph(loss).ops}


def test_a_node_has_a_class_of_its_own_name():
    x = weft.ones(2, requires_grad=True)
    loss = (x.exp() * x).mean()
    node = loss.grad_fn
    assert repr(type(node)) == "<class 'MeanBackward0'>" and isinstance(node, weft.autograd.graph.Node)
    assert type(x.mean().grad_fn) is type(node) is not type(x.exp().grad_fn)
    assert [type(n).__name__ for n, _ in node.next_functions[0][0].next_functions] == ["ExpBackward0", "AccumulateGrad"]
    loss.backward()
    assert x.grad is not None and loss.grad_fn is node


def test_a_long_graph_whose_nodes_were_all_looked_at_is_freed():
    x = weft.ones(1, requires_grad=True)
    for _ in range(100_000):
        x = x * 1
        assert type(x.grad_fn).__name__ == "MulBackward0"
    x.backward()
    made = weakref.ref(x.grad_fn)
    del x
    assert made() is None
