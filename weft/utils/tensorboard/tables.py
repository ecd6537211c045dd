"""What is logged as plain tables too: scalars.csv and events.jsonl beside the event file."""
import json
import math
import os

COLUMNS = ("wall_time", "step", "tag", "value")


class Table:
    """A file that grows by whole lines; each is in the file when the call returns."""

    def __init__(self, path, purge_step=None):
        self.path = path
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if purge_step is not None and os.path.exists(path):
            self._purge(purge_step)
        self.file = open(path, "ab", buffering=0)
        if self.file.tell() == 0:
            self.start()

    def start(self):
        """What a new file begins with."""

    def _purge(self, step):
        """Drop the lines of this step and later ones: a resumed run writes them again."""
        with open(self.path, encoding="utf-8") as file:
            lines = [line for line in file if (at := self.step_of(line)) is None or at < step]
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.writelines(lines)
        os.replace(self.path + ".new", self.path)

    def line(self, text):
        self.file.write((text + "\n").encode())

    def close(self):
        self.file.close()


class CSV(Table):
    """Scalars: wall_time, step, tag, value."""

    def start(self):
        self.line(",".join(COLUMNS))

    def add(self, kind, tag, step, wall_time, value):
        if kind == "scalar":
            self.line(f"{wall_time:.6f},{'' if step is None else step},{_quoted(tag)},{value!r}")

    def step_of(self, line):
        field = line.split(",")[1:2]
        return int(field[0]) if field and field[0].lstrip("-").isdigit() else None


class JSONL(Table):
    """Everything that is not a picture or a sound in full, and those by their names: one JSON object in a line."""

    def add(self, kind, tag, step, wall_time, value):
        entry = {"kind": kind, "tag": tag, "step": step, "wall_time": wall_time}
        if value is not None:
            entry["value"] = _plain(value)
        self.line(json.dumps(entry, ensure_ascii=False))

    def step_of(self, line):
        try:
            return json.loads(line)["step"]
        except (ValueError, KeyError):
            return None


def _quoted(tag):
    return '"' + tag.replace('"', '""').replace("\n", " ") + '"' if any(c in tag for c in ',"\n\r') else tag


def _plain(value):
    """JSON knows no NaN and inf: they are written as strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return _plain(value.item()) if hasattr(value, "item") else str(value)
