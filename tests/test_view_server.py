"""The page's server: this machine only, with the token, to its own name, and nothing half-open when it stops."""
import http.client
import json
import socket
import threading
import time

import graph_samples as samples
import pytest

from weft.viz.run import Run
from weft.viz.server import STREAMS, Server


@pytest.fixture
def run():
    made = Run("live")
    made.add_graph(samples.mlp(), 0)
    made.log(loss=1.5)
    return made


@pytest.fixture
def server(run):
    with Server(run) as made:
        yield made


def ask(server, path, method="GET", host=None, **headers):
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    link.putrequest(method, path, skip_host=True)
    for value in [f"127.0.0.1:{server.port}"] if host is None else host if isinstance(host, list) else [host]:
        link.putheader("Host", value)
    for name, value in headers.items():
        link.putheader(name.replace("_", "-"), value)
    link.endheaders()
    answer = link.getresponse()
    return answer, answer.read() if "event-stream" not in answer.getheader("Content-Type") else link


def home(server):
    return f"/{server.token}/"


def test_the_page(server):
    answer, body = ask(server, home(server))
    assert answer.status == 200 and answer.getheader("Content-Type") == "text/html; charset=utf-8" and b"<!doctype html>" in body and b"connect-src 'self'" in body
    assert server.url == f"http://127.0.0.1:{server.port}/{server.token}/" and len(server.token) >= 32


def test_headers(server):
    answer, _ = ask(server, home(server))
    for name, value in {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
                        "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
                        "Server": "weft "}.items():
        assert answer.getheader(name).strip() == value.strip()
    assert answer.getheader("Set-Cookie") is None and answer.getheader("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("path", ["/", "/index.html", "/wrong/", "/{token}x/", "/x{token}/", "/%7Btoken%7D/",
                                  "//{token}x/", "/events", "/graph/1", "/../{token}x/", "*", "/?token={token}"])
def test_without_the_token_there_is_nothing(server, path):
    answer, body = ask(server, path.format(token=server.token))
    assert answer.status == 403 and server.token.encode() not in body and b"doctype" not in body


@pytest.mark.parametrize("path, status", [("{home}graph/1", 200), ("{home}graph/99", 404), ("{home}graph/-1", 404),
                                          ("{home}graph/1e3", 404), ("{home}graph/²", 404),
                                          ("{home}graph/" + "9" * 30, 404), ("{home}graph", 404),
                                          ("{home}graph/1/2", 404), ("{home}../../etc/passwd", 404),
                                          ("{home}static/main.js", 404), ("{home}events?since=x", 400),
                                          ("{home}events?since=-1", 400), ("{bare}", 404)])
def test_what_there_is(server, path, status):
    path = path.format(home=home(server), bare=home(server)[:-1]).encode().decode("latin-1")
    if not path.isascii():
        path = path.replace("Â²", "%C2%B2")
    answer, body = ask(server, path)
    assert answer.status == status, body
    if status == 200:
        assert json.loads(body)["iteration"] == 0


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "localhost",
                                  "[::1]:{port}", "127.0.0.1:{port}.evil.example",
                                  ["127.0.0.1:{port}", "evil.example"], []])
def test_another_name_is_refused(server, host):
    host = [h.format(port=server.port) for h in host] if isinstance(host, list) else host.format(port=server.port)
    answer, body = ask(server, home(server), host=host)
    assert answer.status == 403 and b"doctype" not in body


def test_localhost_is_fine(server):
    assert ask(server, home(server), host=f"localhost:{server.port}")[0].status == 200


@pytest.mark.parametrize("site, status", [("none", 200), ("same-origin", 200), ("cross-site", 403), ("same-site", 403)])
def test_other_pages_are_refused(server, site, status):
    assert ask(server, home(server), Sec_Fetch_Site=site)[0].status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_only_reading(server, method):
    assert ask(server, home(server), method)[0].status == 405


def test_head(server):
    answer, body = ask(server, home(server), "HEAD")
    assert answer.status == 200 and body == b""


@pytest.mark.parametrize("raw", [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\xff\x16\x03\r\n\r\n",
                                 b"GET " + b"a" * 70000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"a: b\r\n"
                                 * 200 + b"\r\n", b""])
def test_bad_requests_do_no_harm(server, raw):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as link:
        try:
            link.sendall(raw)
            link.shutdown(socket.SHUT_WR)
            got = link.recv(200)
        except OSError:
            got = b""
    assert b"200 OK" not in got
    assert ask(server, home(server))[0].status == 200


def test_bound_to_loopback_only(server):
    assert server.http.server_address[0] == "127.0.0.1"
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, server.port), timeout=2)


def stream(server, since=0):
    link = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    link.sendall(f"GET {home(server)}events?since={since} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    file = link.makefile("rb")
    assert b"200" in file.readline()
    while file.readline() != b"\r\n":
        pass
    return link, file


def next_event(file):
    event = None
    while True:
        line = file.readline().decode()
        if not line:
            return None
        if line.startswith("event: "):
            event = line[7:].strip()
        elif line.startswith("data: "):
            return event, json.loads(line[6:])


def test_events_come_as_they_happen(server, run):
    link, file = stream(server)
    kind, first = next_event(file)
    assert kind == "more" and first["metrics"][0]["values"] == {"loss": 1.5} and len(first["graphs"]) == 1
    run.step = 1
    threading.Timer(0.3, run.log, kwargs={"loss": 1.2}).start()
    began = time.monotonic()
    kind, second = next_event(file)
    assert second["metrics"] == [{"step": 1, "time": second["metrics"][0]["time"],
                                  "values": {"loss": 1.2}}] and "graphs" not in second and time.monotonic() - began < 3
    run.end()
    kinds = [next_event(file), next_event(file), next_event(file)]
    assert kinds[0][1]["state"] == "ended" and kinds[1][0] == "end" and kinds[2] is None
    link.close()


def test_a_late_page_is_told_all(server, run):
    run.end("ValueError: x")
    link, file = stream(server)
    kind, told = next_event(file)
    assert told["error"] == "ValueError: x" and told["metrics"] and next_event(file)[0] == "end"
    link.close()
    link, file = stream(server, told["seen"])
    assert next_event(file)[0] == "end"
    link.close()


def test_streams_are_bounded(server):
    links = [stream(server)[0] for _ in range(STREAMS)]
    assert ask(server, home(server) + "events")[0].status == 503
    for link in links:
        link.close()


def test_stopping_ends_everything(run):
    server = Server(run).start()
    link, file = stream(server)
    next_event(file)
    began = time.monotonic()
    server.stop()
    assert next_event(file) is None and time.monotonic() - began < 5
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), timeout=2)
    server.stop()
    link.close()


def test_a_finished_document():
    with Server(samples.mlp()) as server:
        answer, body = ask(server, home(server))
        assert answer.status == 200 and b"connect-src 'none'" in body and b"cross_entropy" in body
        assert ask(server, home(server) + "events")[0].status == 404


def test_a_port_in_use_is_said(server):
    with pytest.raises(OSError, match="can't use port") as error:
        Server(Run(), server.port)
    assert "fix:" in str(error.value)


def test_every_server_has_its_own_token(run):
    assert Server(run).token != Server(run).token


def test_announce(server, capsys):
    server.announce(browser=False)
    assert server.url in capsys.readouterr().out
