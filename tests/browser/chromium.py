"""A headless Chromium driven over its DevTools protocol, with nothing but the standard library."""
import base64
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--mute-audio", "--no-default-browser-check", "--remote-debugging-port=0", "--remote-allow-origins=*")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find():
    """The program to start, or None; WEFT_CHROMIUM overrules the search."""
    wanted = os.environ.get("WEFT_CHROMIUM")
    return wanted or next(filter(None, map(shutil.which, NAMES)), None)


class Socket:
    """The client's half of a WebSocket: text messages, as many as the protocol needs."""

    def __init__(self, address):
        host, path = address.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.link = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.link.sendall(f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.link.makefile("rb")
        assert b"101" in self.file.readline()
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81, 0x80 | (size if size < 126 else 126 if size < 65536 else 127)])
        head += struct.pack(">H", size) if 126 <= size < 65536 else struct.pack(">Q", size) if size >= 65536 else b""
        self.link.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def receive(self):
        whole = b""
        while True:
            first, size = self.file.read(2)
            size &= 127
            size = (struct.unpack(">H", self.file.read(2))[0] if size == 126
                    else struct.unpack(">Q", self.file.read(8))[0] if size == 127 else size)
            part = self.file.read(size)
            if first & 15 in (0, 1):
                whole += part
                if first & 128:
                    return whole.decode()

    def close(self):
        self.link.close()


class Browser:
    """One process of Chromium with a profile of its own; pages are opened from it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="weft-chromium-")
        self.log = open(os.path.join(self.profile, "log"), "wb")
        self.process = subprocess.Popen([find(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
                                        stdout=self.log, stderr=self.log, start_new_session=True)
        self.port = self.wait_for_port()

    def wait_for_port(self):
        path = os.path.join(self.profile, "DevToolsActivePort")
        for _ in range(300):
            if os.path.exists(path):
                with open(path) as file:
                    lines = file.read().split()
                if lines:
                    return int(lines[0])
            assert self.process.poll() is None, "Chromium ended at once; see its log in " + self.profile
            time.sleep(0.1)
        raise TimeoutError("Chromium did not open its port within 30 s")

    def page(self, width=1440, height=900, dark=False, **media):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Page(json.load(answer), width, height, dark, media)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A tab: go, run scripts, press keys, move the mouse, take pictures. What goes wrong in it is in `problems`."""

    def __init__(self, target, width, height, dark, media):
        self.socket, self.count, self.problems, self.requests = Socket(target["webSocketDebuggerUrl"]), 0, [], []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)
        self.media(dark, **media)

    def call(self, method, **parameters):
        self.count += 1
        own = self.count
        self.socket.send(json.dumps({"id": own, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == own:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        kind, given = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif kind == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")
        elif kind == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in given["args"]))
        elif kind == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])

    def size(self, width, height, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)

    def media(self, dark=False, still=False, kind=""):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                                     {"name": "prefers-reduced-motion",
                                                                      "value": "reduce" if still else "no-preference"}])

    def go(self, address, ready="document.body && document.body.dataset.ready === 'yes'"):
        self.call("Page.navigate", url=address)
        self.wait(ready)

    def run(self, script):
        """The value of an expression; a promise is awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "failed")
                               + f"\n  in: {script}")
        return result["result"].get("value")

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({condition})"):
                    return
            except RuntimeError:
                pass        # the page is on its way to another address
            time.sleep(0.03)
        raise TimeoutError(f"not so within {seconds} s: {condition}")

    def settle(self):
        """Until nothing moves any more."""
        self.wait("!weftPage.stage.moving")
        time.sleep(0.4)

    def press(self, key, shift=False):
        code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9,
                " ": 32, "Home": 36, "End": 35}.get(key, ord(key[0]))
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, modifiers=8 if shift
                  else 0, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=8 if shift
                  else 0)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        for i in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=i)
            self.mouse("mouseReleased", x, y, button="left", clickCount=i)

    def drag(self, a, b):
        self.mouse("mousePressed", *a, button="left", buttons=1, clickCount=1)
        for i in range(1, 6):
            self.mouse("mouseMoved", a[0] + (b[0] - a[0]) * i / 5, a[1] + (b[1] - a[1]) * i / 5, button="left",
                       buttons=1)
        self.mouse("mouseReleased", *b, button="left", clickCount=1)

    def middle(self, selector):
        """The middle of an element on the screen."""
        return (self.run(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()"))

    def click_on(self, selector, count=1):
        self.click(*self.middle(selector), count)

    def picture(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        try:
            self.call("Page.close")
        except (RuntimeError, OSError, ValueError):
            pass
        self.socket.close()
