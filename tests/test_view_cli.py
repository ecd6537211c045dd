"""`weft view`: a program with recording on, its failure on the page, saved pages; weft.viz.watch by hand."""
import json
import re
import signal
import subprocess
import sys
import textwrap
import time
import urllib.request

import graph_samples as samples
import pytest

import weft
from weft import nn
from weft.cli.main import main
from weft.nn import functional as F
from weft.viz import page, recorder
from weft.viz.recorder import log, watch

PROGRAM = """
    import sys
    import weft as torch
    from weft import nn
    torch.manual_seed(0)
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(4, 8)
            self.fc2 = nn.Linear(8, 1)
        def forward(self, x):
            return self.fc2(self.fc1(x).relu())
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(5):
        loss = net(torch.randn(3, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("arguments", sys.argv[1:], __name__)
"""


@pytest.fixture
def program(tmp_path):
    def write(text="", name="train.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(PROGRAM) + textwrap.dedent(text))
        return path
    return write


def view(*arguments, timeout=120):
    return subprocess.run([sys.executable, "-m", "weft", "view", *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout)


def test_a_program_runs_and_is_recorded(program, tmp_path):
    made = view("--no-browser", "--no-wait", "--every=1", "--save", tmp_path / "run.json", program(), "a", "--b")
    assert made.returncode == 0, made.stderr
    assert "arguments ['a', '--b'] __main__" in made.stdout and re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32}/",
                                                                          made.stdout)
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["title"] == "train.py" and run["error"] is None and [g["iteration"]
                                                                    for g in run["graphs"]] == [0, 1, 2, 3, 4]
    assert [m["step"] for m in run["metrics"]] == [0, 1, 2, 3, 4] and all("loss" in m["values"] for m in run["metrics"])
    ops = [n["op"] for n in run["graphs"][-1]["nodes"] if n["module"].startswith("Net")]
    assert ops.count("linear") == 2 and "relu" in ops
    by_name = {n["name"]: n for n in run["graphs"][-1]["nodes"] if n["kind"] == "parameter"}
    assert set(by_name) == {"fc1.weight", "fc1.bias", "fc2.weight",
                            "fc2.bias"} and by_name["fc1.weight"]["grad"]["norm"] > 0
    assert {h["name"] for h in run["histograms"]} >= {"fc1.weight", "fc1.weight.grad"} and len(run["memory"]) == 5


def test_a_failure_is_printed_and_kept_with_its_partial_graph(program, tmp_path):
    made = view("--no-browser", "--no-wait", "--save", tmp_path / "run.json", program("net(torch.randn(3, 5))\n"))
    assert made.returncode == 1
    assert made.stderr.startswith("Traceback") and "train.py" in made.stderr.splitlines()[1] and "cli" not in made.stderr and "linear: the input has 5 features" in made.stderr
    run = json.loads((tmp_path / "run.json").read_text())
    assert "linear: the input has 5 features" in run["error"]
    failed = [n for n in run["graphs"][-1]["nodes"] if n["failed"]]
    assert len(failed) == 1 and failed[0]["op"] == "linear" and failed[0]["module"] == "Net.fc1" and "5 features" in failed[0]["error"]


@pytest.mark.parametrize("text, code", [("sys.exit(3)", 3), ("sys.exit()", 0), ("sys.exit('enough')", 1)])
def test_exit_codes(program, text, code):
    made = view("--no-browser", "--no-wait", program(text))
    assert made.returncode == code and ("enough" in made.stderr) == ("enough" in text)


def test_a_program_without_backward(program, tmp_path):
    path = tmp_path / "none.py"
    path.write_text("print('nothing to do')")
    assert view("--no-browser", "--no-wait", "--save", tmp_path / "n.html", path).returncode == 0
    assert '"graphs":[]' in (tmp_path / "n.html").read_text()


def test_a_syntax_error_has_no_graph(tmp_path):
    (tmp_path / "bad.py").write_text("x = (\n")
    made = view("--no-browser", "--no-wait", "--save", tmp_path / "n.json", tmp_path / "bad.py")
    run = json.loads((tmp_path / "n.json").read_text())
    assert made.returncode == 1 and "SyntaxError" in made.stderr and run["graphs"] == [] and run["error"].startswith("SyntaxError")


def test_an_error_outside_of_ops_has_its_line(program, tmp_path):
    view("--no-browser", "--no-wait", "--save", tmp_path / "n.json", program("nothing_of_this_name\n"))
    last = json.loads((tmp_path / "n.json").read_text())["graphs"][-1]
    failed = [n for n in last["nodes"] if n["failed"]]
    assert failed[0]["op"] == "NameError" and failed[0]["source"] == "nothing_of_this_name" and failed[0]["file"].endswith("train.py")


def test_the_page_stays_until_ctrl_c(program):
    made = subprocess.Popen([sys.executable, "-m", "weft", "view", "--no-browser", str(program())],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = [made.stdout.readline() for _ in range(3)]
    url = re.search(r"http://\S+/", lines[0]).group(0)
    assert "arguments" in lines[1] and f"train.py has ended; the page stays at {url} until Ctrl-C" in lines[2]
    with urllib.request.urlopen(url, timeout=10) as answer:
        assert answer.status == 200 and b"<!doctype html>" in answer.read()
    with urllib.request.urlopen(url + "events?since=0", timeout=10) as answer:
        told = answer.read().decode()
    assert '"state":"ended"' in told and "event: end" in told
    made.send_signal(signal.SIGINT)
    assert made.wait(10) == 0 and "Traceback" not in made.stderr.read()


def test_ctrl_c_in_the_program_stops_it_first(program):
    made = subprocess.Popen([sys.executable, "-m", "weft", "view", "--no-browser",
                             str(program("print('ready', flush=True)\nimport time\ntime.sleep(60)\n"))],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while made.stdout.readline().strip() != "ready":
        pass
    made.send_signal(signal.SIGINT)
    assert "the page stays" in made.stdout.readline()
    made.send_signal(signal.SIGINT)
    assert made.wait(10) == 130 and "stopped" in made.stderr.read()


def test_saved_pages(tmp_path, capsys):
    page.save(samples.mlp(), tmp_path / "g.html")
    assert main(["view", "--no-browser", str(tmp_path / "g.html")]) == 0
    assert capsys.readouterr().out.strip() == f"the graph page: file://{tmp_path}/g.html"
    (tmp_path / "g.json").write_text(json.dumps(samples.mlp()))
    assert main(["view", "--no-browser", "--save", str(tmp_path / "made.html"), str(tmp_path / "g.json")]) == 0
    assert f"file://{tmp_path}/made.html" in capsys.readouterr().out and "cross_entropy" in (tmp_path
                                                                                             / "made.html").read_text()


@pytest.mark.parametrize("arguments, said", [
    ([], "which program?"), (["--no-browser"], "which program?"), (["nowhere.py"], "there is no file nowhere.py"),
    (["--fast", "x.py"], "there is no option --fast"), (["--every"], "--every needs a value"),
    (["--every", "0", "x.py"], "--every takes a whole number from 1 on, not '0'"),
    (["--port=99999", "x.py"], "--port takes"), (["--keep", "two", "x.py"], "--keep takes a whole number from 3 on")])
def test_wrong_arguments(arguments, said, capsys):
    assert main(["view", *arguments]) == 2
    printed = capsys.readouterr().err
    assert said in printed and "fix: `weft view --help`" in printed


def test_a_json_of_something_else(tmp_path, capsys):
    for text in ("[1, 2]", "{", '{"format": "x"}'):
        (tmp_path / "x.json").write_text(text)
        assert main(["view", "--no-browser", str(tmp_path / "x.json")]) == 2
        assert "can't be shown" in capsys.readouterr().err


def test_help(capsys):
    assert main(["view", "--help"]) == 0
    assert "usage: weft view" in capsys.readouterr().out


# watch

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


def steps(run, net, count, logs=True, optimizer=True, x=None):
    made = weft.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(count):
        loss = net(weft.ones(3, 4) if x is None else x).sum()
        loss.backward()
        if optimizer:
            made.step()
            made.zero_grad()
        else:
            with weft.no_grad():
                for p in net.parameters():
                    p -= 0.1 * p.grad
        if logs:
            run.log(loss=loss, twice=2 * loss.item())


@pytest.mark.parametrize("logs", [True, False], ids=["logs", "silent"])
@pytest.mark.parametrize("optimizer", [True, False], ids=["optimizer", "by hand"])
@pytest.mark.parametrize("every, expected", [(1, [0, 1, 2, 3, 4, 5, 6]), (3, [0, 3, 6])])
def test_steps_are_counted(logs, optimizer, every, expected):
    with watch(Net(), every=every) as run:
        steps(run, Net(), 7, logs, optimizer)
    made = run.to_dict()
    assert [g["iteration"] for g in made["graphs"]] == expected and made["title"] == "Net"
    assert {tuple(n["op"] for n in g["nodes"] if n["module"])
            for g in made["graphs"]} == {tuple(n["op"] for n in made["graphs"][0]["nodes"] if n["module"])}
    assert [m["step"] for m in made["memory"]] == list(range(7))
    if logs:
        assert [m["step"] for m in made["metrics"]] == list(range(7)) and set(made["metrics"][3]["values"]) == {"loss",
                                                                                                                "twice"}
    assert run.state == "ended"


def test_metrics_worked_out_after_the_step_belong_to_it():
    net, made = Net(), None
    with watch(net) as run:
        made = weft.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            out = net(weft.ones(3, 4))
            out.sum().backward()
            made.step()
            right = (out.argmax(-1) == 1).float().mean()
            run.log(accuracy=right)
            run.log(more=1)
    found = run.to_dict()
    assert [g["iteration"] for g in found["graphs"]] == [0, 1, 2, 3] and [m["step"]
                                                                          for m in found["metrics"]] == [0, 1, 2, 3]
    assert set(found["metrics"][0]["values"]) == {"loss", "accuracy",
                                                  "more"} and set(found["metrics"][2]["values"]) == {"accuracy", "more"}
    assert "argmax" not in [n["op"] for n in found["graphs"][1]["nodes"]][:3]


def test_several_logs_of_steps_that_were_left_out():
    with watch(every=3) as run:
        for _ in range(7):
            steps(run, Net(), 1)
            run.log(more=1)
    assert [m["step"] for m in run.to_dict()["metrics"]] == list(range(7)) and [g["iteration"]
                                                                                for g in run.to_dict()["graphs"]] == [0, 3, 6]


def test_a_loop_without_backward_has_steps_too():
    with watch() as run:
        for i in range(3):
            (weft.ones(3, requires_grad=True) * i).sum()
            run.log(i=i)
    assert [m["values"] for m in run.to_dict()["metrics"]] == [{"i": 0}, {"i": 1},
                                                               {"i": 2}] and len(run.to_dict()["graphs"]) == 3


def test_a_slow_step_is_not_charged_to_the_recording(monkeypatch):
    monkeypatch.setattr(recorder, "FIRST", 0.1)
    monkeypatch.setattr(recorder, "SHARE", 0.5)
    net = nn.Linear(2, 1)
    optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
    with watch(every=None) as run:
        for _ in range(5):
            loss = net(weft.ones(4, 2)).sum()
            time.sleep(0.15)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    made = run.to_dict()
    assert [g["iteration"] for g in made["graphs"]] == list(range(5)) and made["steps"] == made["recorded"] == 5


def test_a_run_tells_how_many_steps_were_left_out():
    net = nn.Linear(2, 1)
    optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
    with watch(every=5) as run:
        for _ in range(12):
            optimizer.zero_grad()
            net(weft.ones(4, 2)).sum().backward()
            optimizer.step()
    made = run.to_dict()
    assert (made["steps"], made["recorded"], len(made["graphs"])) == (12, 3, 3)
    assert run.more(0)["steps"] == 12


def test_a_graph_has_values_gradients_and_times():
    with watch() as run:
        steps(run, Net(), 1)
    nodes = run.to_dict()["graphs"][0]["nodes"]
    linear = next(n for n in nodes if n["op"] == "linear")
    assert linear["values"]["histogram"]["counts"] and linear["grad"]["norm"] > 0 and linear["time"] > 0 and linear["time_backward"] > 0
    assert not [n for n in nodes if n["op"] in ("sub", "mul", "add_", "_foreach_add_")]


def test_a_failed_step_is_kept_and_the_error_goes_on():
    net = Net()
    with pytest.raises(RuntimeError, match="features"):
        with watch(net) as run:
            steps(run, net, 2)
            net.fc2 = nn.Linear(9, 2)
            steps(run, net, 1)
    made = run.to_dict()
    last = made["graphs"][-1]
    assert last["iteration"] == 2 and [n["op"] for n in last["nodes"]
                                       if n["failed"]] == ["linear"] and "relu" in [n["op"] for n in last["nodes"]]
    assert run.state == "failed" and made["error"].startswith("RuntimeError: linear:")


def test_a_failure_in_backward_marks_its_node():
    class Odd(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("odd")
    x = weft.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="odd"):
        with watch() as run:
            Odd.apply(x).sum().backward()
    failed = [n for n in run.to_dict()["graphs"][-1]["nodes"] if n["failed"]]
    assert len(failed) == 1 and "odd" in failed[0]["error"]


def test_a_failure_in_a_step_that_was_left_out_still_has_its_line():
    net = Net()
    with pytest.raises(RuntimeError):
        with watch(net, every=100) as run:
            steps(run, net, 5)
            net(weft.ones(3, 7))
    failed = [n for n in run.to_dict()["graphs"][-1]["nodes"] if n["failed"]]
    assert len(failed) == 1 and failed[0]["file"] == __file__ and failed[0]["line"]


def test_an_interrupt_is_no_failure():
    with pytest.raises(KeyboardInterrupt):
        with watch() as run:
            steps(run, Net(), 1)
            raise KeyboardInterrupt
    assert run.state == "ended" and run.error is None


def test_nothing_is_watched_afterwards_or_between():
    from weft.core.modes import WATCH, local
    from weft.core.runtime import mode_bits
    net, seen = Net(), []
    with watch(net, every=5) as run:
        for _ in range(6):
            steps(run, net, 1)
            seen.append(bool(mode_bits() & WATCH))
    assert seen == [False, False, False, False, True, False]
    assert not local.watchers and not mode_bits() & WATCH
    from weft.optim import optimizer
    assert not optimizer._GLOBAL_POST and not optimizer._GLOBAL_PRE


def test_evaluation_is_not_part_of_the_step():
    net = Net()
    with watch(net) as run:
        for _ in range(2):
            steps(run, net, 1, logs=False)
            with weft.no_grad():
                net(weft.ones(50, 4)).softmax(-1)
            run.log(loss=1.0)
    assert all("softmax" not in [n["op"] for n in g["nodes"]] for g in run.to_dict()["graphs"])


def test_watch_inside_watch_is_one_run():
    with watch(title="outer") as outer, watch(title="inner") as inner:
        steps(inner, Net(), 2)
        log(other=3)
    assert outer is inner and outer.title == "outer" and len(outer.to_dict()["graphs"]) == 2 and outer.to_dict()["metrics"][-1]["values"]["other"] == 3
    log(nobody=1)


@pytest.mark.parametrize("options, said", [({"every": 0}, "every is a number of steps"), ({"every": 1.5}, "every is"),
                                           ({"keep": 1}, "keep is how many graphs"), ({"every": True}, "every is")])
def test_wrong_options(options, said):
    with pytest.raises(ValueError, match=said):
        watch(**options)


def test_the_namespace():
    assert weft.viz.watch is watch and weft.viz.log is log and {"watch", "Run", "html", "show", "Graph",
                                                                "record"} <= set(dir(weft.viz))
    with pytest.raises(AttributeError, match="module 'weft.viz' has no attribute 'wach'"):
        weft.viz.wach
    with pytest.raises(TypeError, match="model is a Module or None, not int"):
        watch(3)


def test_recording_changes_no_result():
    def weights(**options):
        weft.manual_seed(3)
        net = Net()
        if options:
            with watch(net, **options) as run:
                steps(run, net, 4, x=weft.randn(3, 4))
        else:
            steps(None, net, 4, logs=False, x=weft.randn(3, 4))
        return [p.detach().numpy().copy() for p in net.parameters()]
    for options in ({"every": 1}, {"every": 2}, {"every": None}):
        assert all((a == b).all() for a, b in zip(weights(), weights(**options), strict=True))


def test_live_serves_the_page(capsys):
    with watch(live=True, browser=False) as run:
        url = re.search(r"http://\S+/", capsys.readouterr().out).group(0)
        steps(run, Net(), 1)
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert answer.status == 200
