"""Serves the page of a run to this machine's browser, and what is new in it as it comes.

Bound to 127.0.0.1 and nothing else. Every address begins with a random token; the Host header must be ours, so that a
foreign page can't reach us through a name of its own (DNS rebinding); nothing is stored by the browser, framed, or sent
elsewhere.
"""
import hmac
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from weft.viz import page

HOST = "127.0.0.1"
STREAMS = 16            # pages that may follow at once
BEAT = 10.0             # seconds after which a silent stream gives a sign of life
PAUSE = 0.2             # seconds between two messages: more would be drawn in vain
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
           "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
           "Cross-Origin-Opener-Policy": "same-origin"}


class Server:
    """The page of a run (or of a finished document) at `url`, from start() to stop().

    >>> import weft
    >>> with weft.viz.Server(weft.viz.Run("training")) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, run, port=0):
        self.run = run if hasattr(run, "more") else None
        self.document = None if self.run is not None else page.check(run)
        self.token = secrets.token_urlsafe(24)
        self.stopped = threading.Event()
        self.streams = threading.Semaphore(STREAMS)
        try:
            self.http = _Http((HOST, port), Handler)
        except OSError as error:
            raise OSError(f"the graph page can't use port {port}: {error.strerror}\n  fix: leave the port out, and a "
                          f"free one is taken") from None
        self.http.owner = self
        self.port = self.http.server_address[1]
        self.hosts = {f"{HOST}:{self.port}", f"localhost:{self.port}"}
        self.thread = None

    @property
    def url(self):
        """The address that a browser opens.

        >>> import weft
        >>> with weft.viz.Server(weft.viz.Run("training")) as server:
        ...     server.url.startswith("http://127.0.0.1:")
        True
        """
        return f"http://{HOST}:{self.port}/{self.token}/"

    def start(self):
        """Serve in a thread of its own.

        >>> import weft
        >>> server = weft.viz.Server(weft.viz.Run("training")).start()
        >>> server.thread.is_alive()
        True
        >>> server.stop()
        """
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.1}, name="weft-page",
                                       daemon=True)
        self.thread.start()
        return self

    def stop(self):
        """End all streams and let go of the port.

        >>> import weft
        >>> server = weft.viz.Server(weft.viz.Run("training")).start()
        >>> server.stop()
        >>> server.thread.is_alive()
        False
        """
        if self.stopped.is_set():
            return
        self.stopped.set()
        if self.run is not None:
            with self.run.changed:
                self.run.changed.notify_all()
        if self.thread is not None:
            self.http.shutdown()
            self.thread.join(5)
        self.http.server_close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()

    def announce(self, browser=True):
        """Open the page in a browser if there is one; print its address in any case.

        >>> import weft
        >>> server = weft.viz.Server(weft.viz.Run("training")).start()
        >>> server.announce(browser=False)
        the graph page: http://127.0.0.1:...
        >>> server.stop()
        """
        opened = browser and page.open_browser(self.url)
        print(f"the graph page: {self.url}" + ("" if opened else "  (open it in a browser on this machine)"),
              flush=True)

    def text(self):
        """The page as it is now: a live one asks for the rest itself.

        >>> import weft
        >>> with weft.viz.Server(weft.viz.Run("training")) as server:
        ...     server.text()[:15]
        '<!doctype html>'
        """
        if self.run is None:
            return page.fill_in(self.document)
        nothing = {"graphs": [], "metrics": [], "memory": [], "histograms": [], "error": None}
        return page.fill_in({"format": "weft-run", "version": 1, "title": self.run.title, **nothing,
                             "live": {"seen": 0}}, connect="'self'")


class _Http(ThreadingHTTPServer):
    daemon_threads, block_on_close, request_queue_size = True, False, 32

    def handle_error(self, request, client_address):
        """A browser that went away is no news."""


class Handler(BaseHTTPRequestHandler):
    """Answers GET for the page, its events and its graphs, to those who know the token."""

    server_version, sys_version, timeout = "weft", "", 30

    def log_message(self, *_):
        """Nothing: the terminal is the program's."""

    def do_GET(self):
        owner = self.server.owner
        if self.headers.get("Host", "") not in owner.hosts or len(self.headers.get_all("Host", [])) != 1:
            return self.refuse(403, "this server answers to its own address only")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return self.refuse(403, "this page can't be asked for by another one")
        parts = urlsplit(self.path)
        token, _, what = parts.path.lstrip("/").partition("/")
        if not hmac.compare_digest(token.encode(), owner.token.encode()):
            return self.refuse(403, "the address needs the token that weft printed")
        if what == "":
            return self.page(owner) if parts.path.endswith("/") else self.refuse(404, "there is nothing here")
        if owner.run is None:
            return self.refuse(404, "there is nothing here")
        if what == "events":
            return self.events(owner, parse_qs(parts.query))
        kind, _, number = what.partition("/")
        if kind == "graph" and number.isascii() and number.isdigit() and len(number) < 16:
            return self.graph(owner, int(number))
        return self.refuse(404, "there is nothing here")

    do_HEAD = do_GET

    def page(self, owner):
        self.give(200, "text/html; charset=utf-8", owner.text().encode())

    def graph(self, owner, number):
        found = owner.run.graph(number)
        if found is None and not 0 < number <= owner.run.count:
            return self.refuse(404, "there never was such a graph")
        self.give(200, "application/json", page.dumps(found).encode())

    def events(self, owner, query):
        """Server-sent events: what is new since `since`, until the run has ended and all was told."""
        since = query.get("since", ["0"])[0]
        if not (since.isascii() and since.isdigit() and len(since) < 16):
            return self.refuse(400, "since is a number")
        if self.command == "HEAD" or not owner.streams.acquire(blocking=False):
            return self.refuse(503, "too many pages follow this run")
        try:
            self.begin(200, "text/event-stream", None)
            self.stream(owner, int(since))
        except OSError:
            pass            # the browser went away
        finally:
            owner.streams.release()
            self.close_connection = True

    def stream(self, owner, since):
        run = owner.run
        while not owner.stopped.is_set():
            more = run.more(since)
            if more is not None:
                since = more["seen"]
                self.tell("more", page.dumps(more))
                if more["state"] != "live" and run.more(since) is None:
                    return self.tell("end", "{}")
                owner.stopped.wait(PAUSE)
                continue
            if run.state != "live":
                return self.tell("end", "{}")
            if not run.wait(since, BEAT, owner.stopped):
                self.wfile.write(b": still here\n\n")
                self.wfile.flush()

    def tell(self, event, data):
        self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
        self.wfile.flush()

    def begin(self, status, kind, length):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()

    def give(self, status, kind, data):
        try:
            self.begin(status, kind, len(data))
            if self.command != "HEAD":
                self.wfile.write(data)
        except OSError:
            pass
        self.close_connection = True

    def refuse(self, status, why):
        self.give(status, "text/plain; charset=utf-8", why.encode())

    def _other(self):
        self.refuse(405, "only GET and HEAD are answered")

    do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = do_CONNECT = _other
