"""The page while a program trains, from a server on this machine."""
import re
import signal
import subprocess
import sys
import time

import graph_samples as samples
import pytest

from browser import chromium
from weft.viz.run import Run
from weft.viz.server import Server

pytestmark = pytest.mark.skipif(chromium.find() is None,
                                reason="Chromium is not installed: apt-get install chromium, or set WEFT_CHROMIUM to "
                                "its path")


@pytest.fixture(scope="module")
def browser():
    made = chromium.Browser()
    yield made
    made.close()


@pytest.fixture
def live(browser):
    """(run, page, server) of a run that has nothing yet."""
    run = Run("train.py")
    with Server(run) as server:
        page = browser.page()
        page.go(server.url)
        yield run, page, server
        page.close()


def text(page, selector):
    return page.run(f"document.querySelector('{selector}').innerText")


def step(run, i, graph=True):
    if graph:
        run.add_graph(samples.tree(i, i), i)
    run.step = i
    run.log(loss=2 / (i + 1))
    run.measure(i)


def test_it_waits_then_follows(live):
    run, page, _ = live
    page.wait("document.getElementById('state').innerText === 'live'")
    assert "Waiting for the first graph" in text(page, "#empty") and "Nothing logged yet" in text(page, "#body")
    step(run, 0)
    page.wait("weftPage.app.graph && weftPage.app.graph.iteration === 0")
    assert page.run("document.getElementById('empty').hidden")
    page.wait("document.querySelectorAll('#body svg.line').length > 0")
    for i in range(1, 6):
        step(run, i)
        time.sleep(0.05)
    page.wait("weftPage.app.graph.iteration === 5")
    assert "iteration 5" in text(page, "#timeline")
    page.wait("/0.333/.test(document.getElementById('body').innerText)")
    run.end()
    page.wait("document.getElementById('state').innerText === 'finished'")
    assert not page.problems, page.problems


def test_looking_back_does_not_follow(live):
    run, page, _ = live
    for i in range(3):
        step(run, i)
    page.wait("weftPage.app.graph && weftPage.app.graph.iteration === 2")
    page.run("weftPage.act.show(0)")
    page.wait("weftPage.app.graph.iteration === 0")
    page.settle()
    step(run, 3)
    page.wait("weftPage.app.run.graphs.length === 4")
    time.sleep(0.8)
    assert page.run("weftPage.app.graph.iteration") == 0 and not page.run("document.querySelector('#timeline "
                                                                          ".follow').hidden")
    page.click_on("#timeline .follow")
    page.wait("weftPage.app.graph.iteration === 3")
    page.settle()
    assert page.run("document.querySelector('#timeline .follow').hidden") and not page.problems


def test_a_failure_arrives(live):
    run, page, _ = live
    step(run, 0)
    page.wait("weftPage.app.graph")
    run.add_graph(samples.failing(), 1)
    run.end("RuntimeError: matmul: the inner sizes differ, 256 and 128")
    page.wait("document.getElementById('state').innerText === 'failed'")
    page.wait("weftPage.app.selected && weftPage.app.graph.byKey.get(weftPage.app.selected).failed")
    page.settle()
    assert "the inner sizes differ" in text(page,
                                            "#alert") and "The step failed here" in text(page,
                                                                                         "#body") and not page.problems


def test_a_program_that_fails_before_any_graph(live):
    run, page, _ = live
    run.end("NameError: name 'x' is not defined")
    page.wait("!document.getElementById('alert').hidden")
    assert "NameError" in text(page, "#alert") and "ended before any graph was recorded" in text(page, "#empty")


def test_a_server_that_goes_away_is_said(live):
    run, page, server = live
    step(run, 0)
    page.wait("weftPage.app.graph")
    server.stop()
    page.wait("document.getElementById('state').innerText === 'not reachable'")
    assert page.run("weftPage.app.graph.nodes.length") > 0


def test_a_reload_shows_the_same(live):
    run, page, server = live
    for i in range(4):
        step(run, i)
    page.wait("weftPage.app.graph && weftPage.app.graph.iteration === 3")
    page.go("about:blank", "true")
    page.go(server.url)
    page.wait("weftPage.app.graph && weftPage.app.graph.iteration === 3")
    assert page.run("weftPage.app.run.metrics.length") == 4


def test_only_the_server_is_asked(live):
    run, page, server = live
    step(run, 0)
    page.wait("weftPage.app.graph")
    assert all(address.startswith((server.url, "data:", "about:")) for address in page.requests), page.requests
    assert {re.sub(r"\d+$", "n", address.removeprefix(server.url)) for address in page.requests
            if address.startswith("http")} == {"", "events?since=n", "graph/n"}


def test_weft_view_from_end_to_end(browser, tmp_path):
    program = tmp_path / "train.py"
    program.write_text("""
import weft
from weft import nn
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
for step in range(6):
    loss = net(weft.randn(3, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net(weft.randn(3, 5))
""")
    made = subprocess.Popen([sys.executable, "-m", "weft", "view", "--no-browser", str(program)],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        page = browser.page()
        page.go(re.search(r"http://\S+/", made.stdout.readline()).group(0))
        page.wait("document.getElementById('state').innerText === 'failed'")
        page.wait("weftPage.app.selected && weftPage.app.graph.byKey.get(weftPage.app.selected).failed")
        page.settle()
        assert "linear: the input has 5 features" in text(page,
                                                          "#alert") and "train.py:11" in text(page,
                                                                                              "#body") and "Sequential" in text(page, "#trail")
        page.run("weftPage.act.show(3)")
        page.wait("weftPage.app.graph.iteration === 3")
        page.run("weftPage.act.goTo(weftPage.app.graph.nodes.find(n => n.op === 'linear'))")
        page.settle()
        body = text(page, "#body")
        for word in ("train.py:7", "loss = net(weft.randn(3, 4)).square().mean()", "3 × 8", "Gradient", "Values",
                     "Forward", "Backward"):
            assert word in body
        page.run("document.getElementById('tab-training').click()")
        assert "loss" in text(page, "#body") and page.run("document.querySelectorAll('#body canvas').length") >= 8
        assert not page.problems
        page.close()
    finally:
        made.send_signal(signal.SIGINT)
        assert made.wait(15) == 1


def test_numbers_of_one_step_are_one_point(live):
    run, page, _ = live
    for i in range(3):
        run.step = i
        run.log(loss=1.0 / (i + 1))
        time.sleep(0.25)
        run.log(accuracy=i)
    page.wait("weftPage.app.run.metrics.length === 3 && weftPage.app.run.metrics.every(e => 'loss' in e.values && "
              "'accuracy' in e.values)")


def test_many_graphs_stay_bounded(live):
    run, page, _ = live
    for i in range(150):
        run.add_graph(samples.tree(i, i % 7), i)
        run.step = i
        run.note({"loss": 1.0}, i)
    page.wait("weftPage.app.graph && weftPage.app.graph.iteration === 149")
    assert page.run("weftPage.app.run.graphs.length") == 60
    assert page.run("weftPage.app.run.metrics.length") == 150 and not page.problems


def test_nan_is_told_while_it_trains(live):
    run, page, _ = live
    step(run, 0)
    page.wait("weftPage.app.graph")
    assert page.run("document.getElementById('alert').hidden")
    run.add_graph(samples.ill(), 1)
    for i in (2, 3):
        step(run, i)
    page.wait("weftPage.app.graph.iteration === 3")
    page.wait("document.getElementById('alert').innerText.includes('NaN began in iteration 1: log, train.py:40')")
    page.click_on("#timeline .flag")
    page.wait("weftPage.app.graph.iteration === 1 && weftPage.app.selected")
    assert page.run("weftPage.app.graph.byKey.get(weftPage.app.selected).title") == "log" and not page.problems
