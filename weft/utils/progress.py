"""A progress bar: one live line in a terminal, plain lines now and then in a log, nothing on ranks but the first.

    with Progress(loader, "epoch 1/3", unit="batch") as bar:
        for images, labels in bar:
            ...
            bar.show(loss=loss.item(), accuracy=f"{100 * right / seen:.1f} %")
"""
import os
import shutil
import sys
import time

EVERY, LOG_EVERY = 0.1, 10.0        # seconds between two pictures in a terminal, two lines in a log
RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
PARTS = " ▏▎▍▌▋▊▉█"


class Progress:
    """Iterates over something and shows how far it is.

    file: where it is shown, standard error if None. WEFT_PROGRESS=off, plain or live overrules what the file's kind
    would give.
    """

    def __init__(self, iterable=None, title="", total=None, unit="it", file=None, start=0):
        self.iterable, self.title, self.unit = iterable, title, unit
        self.total = total if total is not None else _length(iterable)
        self.file = sys.stderr if file is None else file
        self.style = _style(self.file)
        self.done = self.start = start      # start: what an earlier run did; it doesn't count for the rate
        self.values = {}
        self.began = self.shown = time.monotonic()
        self.last = ""                      # the line that was drawn last
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def __iter__(self):
        with self:
            for item in self.iterable:
                yield item
                self.update()

    def __len__(self):
        if self.total is None:
            raise TypeError("this Progress has no length: give total=")
        return self.total

    def show(self, **values):
        """What stands behind the bar: numbers with four digits, anything else as it is."""
        self.values.update(values)

    def update(self, count=1):
        """Go on by `count` steps."""
        self.done += count
        now = time.monotonic()
        if now - self.shown >= (EVERY if self.style == "live" else LOG_EVERY):
            self._draw(now)

    def close(self):
        """Draw the last state and end the line."""
        if not self.closed:
            self.closed = True
            self._draw(time.monotonic(), last=True)

    def _draw(self, now, last=False):
        self.shown = now
        if self.style == "off":
            return
        line = self.line(now - self.began)
        try:
            if self.style == "live":
                self.file.write("\r" + line + " " * max(0, len(self.last) - len(line)) + ("\n" if last else ""))
            elif line != self.last:
                self.file.write(line + "\n")
            self.last = line
            self.file.flush()
        except (OSError, ValueError):       # a closed pipe must not end the training
            self.style = "off"

    def line(self, seconds):
        """The text after so many seconds."""
        rate = (self.done - self.start) / seconds if seconds > 0 else 0.0
        facts = [_clock(seconds)]
        if self.total:
            left = (self.total - self.done) / rate if rate else None
            facts[0] += "<" + (_clock(left) if left is not None else "?")
        facts.append(_rate(rate, self.unit))
        facts += [f"{name}={_number(value)}" for name, value in self.values.items()]
        behind = f" [{', '.join(facts)}]"
        title = self.title + ": " if self.title else ""
        if not self.total:
            return f"{title}{self.done} {self.unit}{behind}"
        share = min(1.0, self.done / self.total)
        front, count = f"{title}{100 * share:3.0f}%", f" {self.done}/{self.total}"
        if self.style != "live":
            return front + count + behind
        room = shutil.get_terminal_size().columns - len(front) - len(count) - len(behind) - 3
        return front + _bar(share, max(4, min(room, 30)), self.file) + count + behind


def _length(iterable):
    try:
        return None if iterable is None else len(iterable)
    except TypeError:
        return None


def _style(file):
    asked = os.environ.get("WEFT_PROGRESS", "")
    if asked:
        if asked not in ("off", "plain", "live"):
            raise ValueError(f"WEFT_PROGRESS is {asked!r}\n  fix: set it to off, plain or live, or leave it out")
        return asked
    if any(os.environ.get(name, "0") != "0" for name in RANKS):
        return "off"
    return "live" if hasattr(file, "isatty") and file.isatty() else "plain"


def _bar(share, width, file):
    """`|███▌      |`, or with # where the terminal has no such letters."""
    try:
        PARTS.encode(getattr(file, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        whole = round(share * width)
        return f"|{'#' * whole}{' ' * (width - whole)}|"
    whole, part = divmod(int(share * width * 8), 8)
    return f"|{(PARTS[8] * whole + (PARTS[part] if part else '')).ljust(width)}|"


def _clock(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def _rate(rate, unit):
    return f"{1 / rate:.2f}s/{unit}" if 0 < rate < 1 else f"{rate:.1f}{unit}/s"


def _number(value):
    if hasattr(value, "item"):
        value = value.item()
    return f"{value:.4g}" if isinstance(value, float) else str(value)
