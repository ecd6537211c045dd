"""weft.profiler: times, nesting, lines, modules, operations, schedules, traces."""
import gzip
import json
import subprocess
import sys
import time

import pytest

import weft
import weft.nn.functional as F
from weft import nn, optim
from weft._pure import PURE
from weft.core.modes import local
from weft.core.runtime import mode_bits
from weft.profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

HERE = "test_profiler.py"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        with record_function("encode"):
            h = self.encoder(x)     # line of the encoder
        return self.head(h)


def step(net, optimizer):
    loss = F.cross_entropy(net(weft.ones(3, 4)), weft.tensor([0, 1, 0]))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


@pytest.fixture(scope="module")
def profiled():
    net = Net()
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    step(net, optimizer)
    with profile(record_shapes=True, profile_memory=True, with_flops=True, with_modules=True) as prof:
        with record_function("all", "some args"):
            step(net, optimizer)
    return prof


def named(prof, name):
    return [event for event in prof.events() if event.name == name]


def ancestors(event):
    found = []
    while event.cpu_parent is not None:
        event = event.cpu_parent
        found.append(event.name)
    return found


def test_forward_and_backward_ops_are_there(profiled):
    names = [event.name for event in profiled.events()]
    for name in ("aten::linear", "aten::relu", "aten::cross_entropy", "LinearBackward0", "ReluBackward0",
                 "Optimizer.step#SGD.step", "encode"):
        assert name in names
    assert names.count("aten::linear") == 2 == names.count("LinearBackward0")


def test_nesting(profiled):
    first, second = named(profiled, "aten::linear")
    assert ancestors(first) == ["nn.Module: Net.encoder", "encode", "nn.Module: Net", "all"]
    assert ancestors(second) == ["nn.Module: Net.head.1", "nn.Module: Net.head", "nn.Module: Net", "all"]
    (backward,) = [e for e in named(profiled, "aten::linear_backward") if e.module == "Net.encoder"]
    assert ancestors(backward) == ["LinearBackward0", "all"]


def test_times_add_up(profiled):
    (whole,) = named(profiled, "all")
    assert sum(e.self_cpu_time_total for e in profiled.events()) == pytest.approx(
        sum(e.cpu_time_total for e in profiled.events() if e.cpu_parent is None))
    for event in profiled.events():
        inside = sum(child.cpu_time_total for child in event.cpu_children)
        assert event.self_cpu_time_total == pytest.approx(event.cpu_time_total - inside, abs=1e-6)
        assert event.self_cpu_time_total >= 0
        for child in event.cpu_children:
            assert event.time_range.start <= child.time_range.start <= child.time_range.end <= event.time_range.end
            assert child.cpu_parent is event
    assert profiled.events().self_cpu_time_total >= whole.cpu_time_total * 0.99


def test_a_slow_range_takes_its_time():
    with profile() as prof:
        with record_function("outer"):
            with record_function("slow"):
                time.sleep(0.02)
            weft.ones(2) + 1
    (outer,), (slow,) = named(prof, "outer"), named(prof, "slow")
    assert 20_000 <= slow.self_cpu_time_total <= outer.cpu_time_total
    assert outer.self_cpu_time_total <= outer.cpu_time_total - 20_000


def test_lines_and_modules(profiled):
    first, second = named(profiled, "aten::linear")
    assert first.module == "Net.encoder" and second.module == "Net.head.1"
    file, line, function = first.place
    assert file.endswith(HERE) and function == "forward"
    assert "# line of the encoder" in open(__file__).readlines()[line - 1]
    assert first.source.endswith(f"{HERE}({line}): forward")
    backward = [e for e in named(profiled, "LinearBackward0") if e.module == "Net.encoder"][0]
    assert backward.source == first.source and backward.sequence_nr == first.sequence_nr        # the forward's line
    assert backward.cpu_children[0].source == first.source


def test_shapes_bytes_and_operations(profiled):
    first, second = named(profiled, "aten::linear")
    assert first.input_shapes == [[3, 4], [8, 4], [8]] and first.output_shapes == [[3, 8]]
    assert first.flops == 2 * 3 * 4 * 8 and first.cpu_memory_usage == 3 * 8 * 4
    # the input needs none
    assert [e.flops for e in named(profiled, "aten::linear_backward")] == [2 * 2 * 3 * 8 * 2, 2 * 3 * 4 * 8]
    (whole,) = named(profiled, "all")
    assert (whole.cpu_memory_usage == sum(e.self_cpu_memory_usage for e in profiled.events())
            and whole.self_cpu_memory_usage == 0)


def test_key_averages_and_table(profiled):
    averages = profiled.key_averages()
    (linear,) = [a for a in averages if a.key == "aten::linear"]
    assert linear.count == 2 and linear.flops == 2 * 3 * 4 * 8 + 2 * 3 * 8 * 2
    assert linear.cpu_time_total == pytest.approx(sum(e.cpu_time_total for e in named(profiled, "aten::linear")))
    assert linear.cpu_time == linear.cpu_time_total / 2
    table = averages.table(sort_by="self_cpu_time_total", row_limit=3)
    lines = table.splitlines()
    assert lines[1].split("  ")[-2:] == ["", ""] or "Name" in lines[1]
    for column in ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "CPU Mem",
                   "Self CPU Mem", "# of Calls", "Total"):
        assert column in lines[1]
    assert len(lines) == 3 + 3 + 2 and lines[-1].startswith("Self CPU time total: ")
    times = [a.self_cpu_time_total for a in sorted(averages, key=lambda a: -a.self_cpu_time_total)[:3]]
    assert times == sorted(times, reverse=True)
    assert "Input Shapes" in profiled.key_averages(group_by_input_shape=True).table()
    by_line = profiled.key_averages(group_by_stack_n=1)
    assert len([a for a in by_line if a.key == "aten::linear"]) == 2 and HERE in by_line.table()


def test_table_options(profiled):
    averages = profiled.key_averages()
    assert averages.table(header="A header").splitlines()[1] == "A header"
    assert "top-level" in averages.table(top_level_events_only=True)
    assert "ms" in averages.table(time_unit="ms").splitlines()[-1]
    assert str(averages) == averages.table()
    assert "..." in averages.table(max_name_column_width=10)
    with pytest.raises(AttributeError, match="sort by"):
        averages.table(sort_by="beauty")
    assert averages.total_average().count == len(profiled.events())


def test_operations_of_larger_ops():
    def flops(call):
        with profile(with_flops=True) as prof:
            call()
        return sum(e.flops for e in prof.events())
    x = weft.ones(2, 4, 6, 6)
    conv, back = nn.Conv2d(4, 8, 3, groups=2, padding=1), nn.ConvTranspose2d(4, 8, 3)
    assert flops(lambda: conv(x)) == 2 * 2 * 6 * 6 * 8 * 2 * 9
    assert flops(lambda: back(x)) == 2 * 2 * 4 * 6 * 6 * 8 * 9
    q = weft.ones(2, 3, 5, 8)
    assert flops(lambda: F.scaled_dot_product_attention(q, q, q)) == 2 * 2 * 3 * 5 * 5 * 16
    lstm, cell = nn.LSTM(3, 4, bidirectional=True), nn.GRUCell(3, 4)
    if not PURE:        # there, one op each; else many, whose sums count too
        assert flops(lambda: lstm(weft.ones(5, 2, 3))) == 2 * 2 * 10 * 16 * 7
        assert flops(lambda: cell(weft.ones(2, 3))) == 2 * 2 * 12 * 7
    assert flops(lambda: weft.ones(3, 4) @ weft.ones(4, 5)) == 120
    assert flops(lambda: weft.bmm(weft.ones(2, 3, 4), weft.ones(2, 4, 5))) == 240
    assert flops(lambda: weft.ones(3, 4) + weft.ones(3, 4)) == 12


def test_chrome_trace(profiled, tmp_path):
    profiled.add_metadata("note", 'with "quotes"')
    profiled.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert trace["note"] == 'with "quotes"' and trace["profile_memory"] == 1
    slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert {"cpu_op", "user_annotation", "python_function"} == {e["cat"] for e in slices}
    assert all(e["dur"] >= 0 and isinstance(e["ts"], float) for e in slices)
    assert any(e["name"] == "nn.Module: Net.encoder" for e in slices)
    (linear,) = [e for e in slices if e["name"] == "aten::linear" and e["args"]["Module"] == "Net.encoder"]
    assert linear["args"]["Input Dims"] == [[3, 4], [8, 4], [8]] and HERE in linear["args"]["Source"]
    starts = {e["id"]: e for e in trace["traceEvents"] if e["ph"] == "s"}
    ends = {e["id"]: e for e in trace["traceEvents"] if e["ph"] == "f"}
    assert starts.keys() == ends.keys() and len(starts) == 4
    assert linear["args"]["Sequence number"] in starts and starts[linear["args"]["Sequence number"]]["ts"] == linear["ts"]
    for key, end in ends.items():
        assert end["ts"] > starts[key]["ts"] and any(e["name"].endswith("Backward0") and e["ts"] == end["ts"]
                                                     for e in slices)
    open_until = []             # slices nest: none reaches out of the one that it began in
    for e in sorted(slices, key=lambda e: (e["ts"], -e["dur"])):
        while open_until and open_until[-1] <= e["ts"]:
            open_until.pop()
        assert not open_until or e["ts"] + e["dur"] <= open_until[-1] + 1e-3
        open_until.append(e["ts"] + e["dur"])
    profiled.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    assert json.loads(gzip.open(tmp_path / "trace.json.gz").read())["traceEvents"]


def test_stacks(tmp_path):
    def inner():
        return weft.ones(50, 50) @ weft.ones(50, 50)
    with profile(with_stack=True) as prof:
        inner()
    (event,) = named(prof, "aten::mm")
    assert event.stack[0].endswith(": inner") and event.stack[1].endswith(": test_stacks") and len(event.stack) > 3
    prof.export_stacks(str(tmp_path / "stacks"))
    assert any("test_stacks;" in line and "inner;aten::mm" in line
               for line in (tmp_path / "stacks").read_text().splitlines())
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(str(tmp_path / "stacks"), "nonsense")


def test_decorator_and_recursion():
    @record_function("twice")
    def twice(n):
        return twice(n - 1) if n else weft.ones(1) + 1
    with profile() as prof:
        twice(2)
    events = named(prof, "twice")
    assert len(events) == 3 and ancestors(events[2]) == ["twice", "twice"]
    assert ancestors(named(prof, "aten::add")[0]) == ["twice"] * 3


def test_an_op_that_fails_and_one_that_gives_its_input_back():
    x = weft.ones(2, 3)
    with profile() as prof:
        with record_function("range"):
            with pytest.raises(RuntimeError):
                x @ x
            x.contiguous()
            x.exp()
        x.sin()
    assert ancestors(named(prof, "aten::exp")[0]) == ["range"] and ancestors(named(prof, "aten::sin")[0]) == []


def test_an_error_ends_the_recording():
    with pytest.raises(ZeroDivisionError):
        with profile() as prof:
            weft.ones(2).exp()
            1 / 0
    assert not local.watchers and mode_bits() == 0
    assert named(prof, "aten::exp")


def test_same_results_and_kernels_with_and_without():
    def work():
        weft.manual_seed(0)
        net = Net()
        optimizer = optim.Adam(net.parameters())
        for _ in range(3):
            step(net, optimizer)
        x = weft.randn(100, requires_grad=True)
        (x.exp() * x + 2).relu().sum().backward()
        return [p.detach().clone() for p in net.parameters()] + [x.grad]
    plain = work()
    with profile(record_shapes=True, with_stack=True):
        watched = work()
    assert all(weft.equal(a, b) for a, b in zip(plain, watched))


def test_in_place_and_custom_functions():
    class Twice(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2
    with profile() as prof:
        x = weft.ones(3, requires_grad=True)
        Twice.apply(x).sum().backward()
        y = weft.ones(3)
        y.add_(2)
        y += 1
    names = [event.name for event in prof.events()]
    assert "TwiceBackward" in names and names.count("aten::add") == 2
    assert y.tolist() == [4, 4, 4]


# schedules

def test_schedule_as_torch():
    actions = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    N, W, R, S = ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
    assert [actions(i) for i in range(11)] == [N, N, W, R, S, N, W, R, S, N, N]
    with pytest.raises(AssertionError, match="active=0"):
        schedule(wait=0, warmup=1, active=0)
    with pytest.warns(UserWarning, match="warmup"):
        schedule(wait=0, warmup=0, active=1)
    with pytest.raises(AssertionError):
        actions(-1)


def cycles(**options):
    found = []
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=lambda p: found.append(
            [e.trace_name for e in p.events() if e.is_user_annotation]), **options) as prof:
        for _ in range(10):
            weft.ones(2).exp()
            prof.step()
    return found, prof


def test_steps_and_cycles():
    found, prof = cycles()
    assert found == [["ProfilerStep#2", "ProfilerStep#3"], ["ProfilerStep#6", "ProfilerStep#7"]]
    assert prof.step_num == 10 and len(named(prof, "aten::exp")) == 2
    (steps,) = [a for a in prof.key_averages() if a.key == "ProfilerStep*"]
    assert steps.count == 2


def test_events_of_all_cycles():
    found, prof = cycles(acc_events=True)
    assert [len(f) for f in found] == [2, 4] and len(named(prof, "aten::exp")) == 4


def test_start_and_stop_without_with():
    ready = []
    prof = profile(on_trace_ready=ready.append)
    prof.start()
    weft.ones(2).exp()
    with pytest.raises(AssertionError, match="still recording"):
        prof.events()
    prof.stop()
    assert ready == [prof] and named(prof, "aten::exp")
    with pytest.raises(AssertionError, match="initialized"):
        profile().key_averages()


def test_trace_handler(tmp_path):
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "runs"), "me")):
        weft.ones(2).exp()
    (path,) = (tmp_path / "runs").iterdir()
    assert path.name.startswith("me.") and path.name.endswith(".pt.trace.json") and json.loads(path.read_text())


def test_activities():
    assert supported_activities() == {ProfilerActivity.CPU}
    with pytest.warns(UserWarning, match="CUDA is not available"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
    with pytest.raises(ValueError, match="more than once"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CPU])
    with pytest.raises(AssertionError, match="No valid"):
        profile(activities=[])
    with pytest.raises(TypeError):
        profile(activities=["CPU"])


def test_old_form():
    with weft.autograd.profiler.profile(record_shapes=True) as prof:
        with weft.autograd.profiler.record_function("mine"):
            weft.ones(2).exp()
    assert [e.name for e in prof.function_events][0] == "mine" and "aten::exp" in str(prof)
    assert prof.key_averages().total_average().count >= 2 and prof.self_cpu_time_total > 0
    with weft.autograd.profiler.profile(enabled=False):
        assert not local.watchers
    with pytest.warns(UserWarning, match="no effect"):
        weft.autograd.profiler.emit_nvtx()


def test_nothing_is_watched_outside():
    assert not local.watchers
    with record_function("nothing"):
        assert mode_bits() == 0
    code = "import sys, weft, weft.nn; found = [m for m in sys.modules if 'profiler' in m]; assert not found, found"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# summaries

def test_summary():
    net = Net().train()
    net.encoder.weight.requires_grad_(False)
    made = net.summary(weft.ones(3, 4))
    rows = {row.path: row for row in made.rows}
    assert rows["encoder"].shape == "[3, 8]" and rows["encoder"].parameters == 40 and rows["encoder"].flops == 192
    assert rows["head"].flops == rows["head.1"].flops == 96 and rows[""].flops == made.flops == 288
    assert rows["head.0"].bytes == 96 and made.parameters == 58 and made.trainable == 26
    text = str(made)
    assert "encoder (Linear)" in text and "58, 32 of them frozen" in text and "(not called)" not in text
    assert net.training and net.head.training and not net.encoder._forward_hooks


def test_summary_of_shared_unused_and_nested_results():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared, self.unused, self.rnn = nn.Linear(4, 4), nn.Linear(9, 9), nn.GRU(4, 3)
            self.norm = nn.BatchNorm1d(4)

        def forward(self, x, *, scale):
            x = self.norm(self.shared(self.shared(x)))
            return {"all": self.rnn(x), "scaled": x * scale}
    net = Odd()
    before = net.norm.running_mean.clone()
    text = str(weft.profiler.summary(net, weft.ones(5, 4), scale=2))
    assert "shared (Linear) x2" in text and "(not called)" in text and "([5, 3], [1, 3])" in text
    assert weft.equal(net.norm.running_mean, before)


def test_summary_errors_and_free_names():
    with pytest.raises(ValueError, match="called once"):
        Net().summary()
    with pytest.raises(TypeError, match="nn.Module"):
        weft.profiler.summary(3, weft.ones(1))
    net = Net()
    with pytest.raises(RuntimeError):
        net.summary(weft.ones(3, 5))
    assert net.training and not net._forward_hooks and not local.watchers

    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.summary = nn.Linear(1, 1)
    assert isinstance(Own().summary, nn.Linear)
    free = nn.Module()
    free.register_buffer("summary", weft.ones(2))
    assert free.summary.tolist() == [1, 1]
    with pytest.raises(KeyError, match="already exists"):
        free.add_module("summary", nn.Linear(1, 1))
    with pytest.raises(AttributeError, match="sumary.*summary|has no attribute"):
        net.sumary
