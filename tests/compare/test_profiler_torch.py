"""weft.profiler beside torch.profiler: the same names, signatures, columns and schedules; the same operations where
torch counts them.
"""
import inspect

import pytest

import weft
import weft.profiler

torch = pytest.importorskip("torch")
BOTH = [torch, weft]


def flops(lib, call):
    """The operations of a call, of all ops together."""
    with lib.profiler.profile(with_flops=True) as prof:
        call()
    return sum(event.flops or 0 for event in prof.events())


def ones(lib, *shape, grad=False):
    return lib.ones(*shape, requires_grad=grad)


CALLS = {
    "mm": lambda lib: ones(lib, 3, 4).mm(ones(lib, 4, 5)),
    "matmul": lambda lib: ones(lib, 3, 4) @ ones(lib, 4, 5),
    "matmul of stacks": lambda lib: ones(lib, 2, 3, 4) @ ones(lib, 2, 4, 5),
    "bmm": lambda lib: ones(lib, 2, 3, 4).bmm(ones(lib, 2, 4, 5)),
    "addmm": lambda lib: lib.addmm(ones(lib, 5), ones(lib, 3, 4), ones(lib, 4, 5)),
    "baddbmm": lambda lib: lib.baddbmm(ones(lib, 2, 3, 5), ones(lib, 2, 3, 4), ones(lib, 2, 4, 5)),
    "linear": lambda lib: lib.nn.functional.linear(ones(lib, 6, 4), ones(lib, 5, 4), ones(lib, 5)),
    "linear without bias": lambda lib: lib.nn.functional.linear(ones(lib, 6, 4), ones(lib, 5, 4)),
    "conv2d": lambda lib: lib.nn.functional.conv2d(ones(lib, 2, 4, 9, 8), ones(lib, 6, 4, 3, 2), stride=2, padding=1),
    "conv2d in groups": lambda lib: lib.nn.functional.conv2d(ones(lib, 2, 4, 9, 8), ones(lib, 6, 2, 3, 3), groups=2),
    "add": lambda lib: ones(lib, 3, 4) + ones(lib, 3, 4),
    "mul": lambda lib: ones(lib, 3, 4) * ones(lib, 3, 4),
    "mul by a number": lambda lib: ones(lib, 3, 4) * 2.0,
    "einsum": lambda lib: lib.einsum("ij,jk->ik", ones(lib, 3, 4), ones(lib, 4, 5)),
    "mlp": lambda lib: lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.ReLU(), lib.nn.Linear(8, 2))(ones(lib, 3, 4)),
    "mm backward": lambda lib: ones(lib, 3, 4, grad=True).mm(ones(lib, 4, 5, grad=True)).sum().backward(),
    "linear backward": lambda lib: lib.nn.functional.linear(ones(lib, 6, 4, grad=True),
                                                            ones(lib, 5, 4, grad=True)).sum().backward(),
    "relu": lambda lib: ones(lib, 3, 4).relu(),
}


@pytest.mark.parametrize("name", CALLS)
def test_operations(name):
    assert flops(weft, lambda: CALLS[name](weft)) == flops(torch, lambda: CALLS[name](torch))


def profiled(lib, **options):
    net = lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.ReLU(), lib.nn.Linear(8, 2))
    with lib.profiler.profile(**options) as prof:
        with lib.profiler.record_function("mine"):
            net(lib.ones(3, 4)).sum().backward()
    return prof


def columns(table):
    return [title for title in table.splitlines()[1].split("  ") if title.strip()]


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"profile_memory": True},
                                     {"record_shapes": True, "profile_memory": True}])
def test_columns(options):
    tables = [profiled(lib, **options).key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total")
              for lib in BOTH]
    theirs, ours = ([title.strip() for title in columns(table)] for table in tables)
    assert ours == theirs
    assert tables[0].splitlines()[-1].split(":")[0] == tables[1].splitlines()[-1].split(":")[0]


def test_columns_of_stacks_and_operations():
    ours = profiled(weft, with_stack=True, with_flops=True).key_averages(group_by_stack_n=2).table()
    theirs = profiled(torch, with_stack=True, with_flops=True).key_averages(group_by_stack_n=2).table()
    assert {c.strip() for c in columns(ours)} >= {c.strip()
                                                  for c in columns(theirs)} - {"Source Location"} and "Source Location" in ours


def test_names_of_events():
    ours, theirs = ({event.name for event in profiled(lib).events()} for lib in BOTH[::-1])
    assert {"mine", "aten::linear", "aten::relu", "aten::sum", "ReluBackward0", "SumBackward0"} <= ours & theirs


def test_figures_of_events():
    """What a program reads from an event, it finds in ours."""
    for kind in ("events", "key_averages"):
        theirs, ours = (getattr(profiled(lib, record_shapes=True), kind)()[0] for lib in BOTH)
        wanted = ["key", "count", "cpu_time", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage",
                  "self_cpu_memory_usage", "device_time_total", "self_device_time_total", "input_shapes", "stack",
                  "flops", "cpu_children", "cpu_parent", "cpu_time_str", "cpu_time_total_str",
                  "self_cpu_time_total_str", "is_async", "node_id", "scope", "device_type", "use_device"]
        wanted += ["name", "id", "thread", "time_range", "sequence_nr"] if kind == "events" else []
        for name in wanted:
            assert hasattr(theirs, name) and hasattr(ours, name), name


@pytest.mark.parametrize("arguments", [dict(wait=1, warmup=1, active=2), dict(wait=0, warmup=1, active=1, repeat=2),
                                       dict(wait=2, warmup=2, active=3, repeat=1, skip_first=2),
                                       dict(wait=2, warmup=1, active=1, skip_first=3, skip_first_wait=1)])
def test_schedules(arguments):
    theirs, ours = (lib.profiler.schedule(**arguments) for lib in BOTH)
    assert [ours(i).name for i in range(20)] == [theirs(i).name for i in range(20)]


def test_cycles():
    def run(lib):
        ready = []
        with lib.profiler.profile(schedule=lib.profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
                                  on_trace_ready=lambda p: ready.append(p.step_num)) as prof:
            for _ in range(9):
                lib.ones(2).exp()
                prof.step()
        return ready, len([e for e in prof.events() if e.name == "aten::exp"])
    assert run(weft) == run(torch)


@pytest.mark.parametrize("name", ["profile", "schedule", "tensorboard_trace_handler", "record_function",
                                  "supported_activities"])
def test_signatures(name):
    theirs, ours = (inspect.signature(getattr(lib.profiler, name)).parameters.values() for lib in BOTH)
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


@pytest.mark.parametrize("method", ["start", "stop", "step", "key_averages", "events", "export_chrome_trace",
                                    "export_stacks", "add_metadata", "add_metadata_json", "preset_metadata_json",
                                    "toggle_collection_dynamic"])
def test_methods(method):
    theirs, ours = (inspect.signature(getattr(lib.profiler.profile, method)).parameters.values() for lib in BOTH)
    assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]


def test_old_signatures():
    theirs, ours = (inspect.signature(lib.autograd.profiler.profile).parameters.values() for lib in BOTH)
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]
    for name in ("ProfilerAction", "ProfilerActivity", "DeviceType", "kineto_available"):
        assert hasattr(weft.profiler, name)


def test_formats():
    from torch.autograd import profiler_util

    from weft.core.units import bytes_text
    from weft.profiler.events import format_share, format_time
    for n in (0, 5, 1024, 5000, 3 << 20, 5 << 30, -2048):
        assert bytes_text(n) == profiler_util._format_memory(n)
    for us in (0, 0.5, 12.3456, 999.9, 1234.5, 2e6):
        assert format_time(us) == profiler_util._format_time(us)
    assert (format_share(1, 3) == profiler_util._format_time_share(1, 3)
            and format_share(0, 0) == profiler_util._format_time_share(0, 0))
