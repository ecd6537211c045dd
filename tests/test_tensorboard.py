"""Event files, read back by a small decoder of the test's own: no tensorboard, no protobuf."""
import csv
import json
import os
import signal
import struct
import subprocess
import sys
import textwrap
import zlib

import numpy as np
import pytest

import weft
from weft import nn
from weft.utils.tensorboard import FileWriter, RecordWriter, SummaryWriter, messages, wire
from weft.utils.tensorboard import crc as crcs
from weft.utils.tensorboard import gif as gifs
from weft.utils.tensorboard.png import png

# an independent decoder

def slow_crc(data):
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def masked(data):
    value = slow_crc(data)
    return ((value >> 15 | value << 17) & 0xFFFFFFFF) + 0xA282EAD8 & 0xFFFFFFFF


def decode(message):
    """{field: [values]}; integers, or (kind, bytes)."""
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value
    while at < len(message):
        key = number()
        if key & 7 == 0:
            value = number()
        else:
            size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else number()
            value, at = message[at:at + size], at + size
            if key & 7 == 1:
                value = struct.unpack("<d", value)[0]
            elif key & 7 == 5:
                value = struct.unpack("<f", value)[0]
        found.setdefault(key >> 3, []).append(value)
    return found


def records(path, check=True):
    """The whole records of a file; what was cut off at its end is left out."""
    content, at = open(path, "rb").read(), 0
    while at + 12 <= len(content):
        size, check_size = struct.unpack_from("<QI", content, at)
        data = content[at + 12:at + 12 + size]
        if len(content) < at + 16 + size:
            return
        if check and size < 5000:
            assert check_size == masked(content[at:at + 8])
            assert struct.unpack_from("<I", content, at + 12 + size)[0] == masked(data)
        yield data
        at += 16 + size


def events(folder, check=True):
    names = sorted(n for n in os.listdir(folder) if "tfevents" in n)
    return [decode(data) for name in names for data in records(os.path.join(folder, name), check)]


def values(folder):
    """(tag, step, fields of the value) of all that is in the summaries."""
    found = []
    for event in events(folder):
        for summary in event.get(5, ()):
            for value in decode(summary)[1]:
                fields = decode(value)
                found.append((fields[1][0].decode(), event.get(2, [0])[0], fields))
    return found


# the layers below

@pytest.mark.parametrize("size", [0, 1, 9, 100, 767, 768, 769, 1023, 1024, 1025, 4096, 20000, 70001])
def test_crc(size):
    data = np.random.default_rng(size).integers(0, 256, size).astype(np.uint8).tobytes()
    assert crcs.crc32c(data) == slow_crc(data)


def test_crc_over_several_blocks_is_its_own_continuation(monkeypatch):
    monkeypatch.setattr(crcs, "MOST", 4)
    for size in (1024, 1025, 3000, 4096, 10001):
        data = np.random.default_rng(size).integers(0, 256, size).astype(np.uint8).tobytes()
        assert crcs.crc32c(data) == slow_crc(data)


def test_crc_known_values():
    assert crcs.crc32c(b"123456789") == 0xE3069283
    assert crcs.crc32c(bytes(32)) == 0x8A9136AA and crcs.crc32c(b"\xff" * 32) == 0x62A8AB43


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31, 2**63 - 1, -1, -5])
def test_integers(number):
    (value,) = decode(wire.integer(3, number))[3]
    assert (value if value < 2**63 else value - 2**64) == number
    assert len(wire.integer(3, number)) == (11 if number < 0 else len(wire.integer(3, number)))
    assert dict(wire.read(wire.integer(3, number))) == {3: number & 2**64 - 1}


def test_other_fields():
    message = wire.double(1, 0.1) + wire.single(2, 0.5) + wire.text(16,
                                                                    "ü") + wire.doubles(4, [1, 2]) + wire.integers(5,
                                                                                                                   [1, 300])
    assert decode(message) == {1: [0.1], 2: [0.5], 16: ["ü".encode()], 4: [struct.pack("<2d", 1, 2)],
                               5: [b"\x01\xac\x02"]}
    assert wire.single(1, 1e300) == wire.single(1, float("inf"))


@pytest.mark.parametrize("broken", [b"\x08", b"\x0a\x05ab", b"\x0b\x01", b"\xff" * 12])
def test_broken_messages_are_refused(broken):
    with pytest.raises(ValueError, match="not a protocol buffer"):
        list(wire.read(broken))


def unpng(data):
    """An image from a PNG file as weft writes them."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (size,), kind = struct.unpack_from(">I", data, at), data[at + 4:at + 8]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(data[at + 4:at + 8 + size])
        chunks[kind] = data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, color = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[color]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + width * channels)
    assert depth == 8 and (rows[:, 0] == 2).all()
    return np.cumsum(rows[:, 1:], 0, dtype=np.uint8).reshape(height, width, channels)


@pytest.mark.parametrize("shape", [(5, 7, 3), (1, 1, 4), (3, 2, 1), (2, 9, 2), (1200, 1300, 3)])
def test_png(shape):
    image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    np.testing.assert_array_equal(unpng(png(image)), image)


def ungif(data):
    """(palette, list of frames' indices) of a GIF file as weft writes them."""
    width, height = struct.unpack_from("<HH", data, 6)
    palette = np.frombuffer(data, np.uint8, 768, 13).reshape(256, 3)
    at, frames = 13 + 768, []
    while data[at] != 0x3B:
        picture = data[at] == 0x2C
        at += 11 if picture else 2
        block = b""
        while data[at]:
            block, at = block + data[at + 1:at + 1 + data[at]], at + 1 + data[at]
        at += 1
        if picture:
            frames.append(unlzw(block).reshape(height, width))
    return palette, frames


def unlzw(data):
    bits, width, out, at = int.from_bytes(data, "little"), 9, [], 0
    table, last = [], None
    while True:
        code = bits >> at & (1 << width) - 1
        at += width
        if code == 256:
            table, width, last = [bytes((i,)) for i in range(256)] + [b"", b""], 9, None
            continue
        if code == 257:
            return np.frombuffer(b"".join(out), np.uint8)
        entry = table[code] if code < len(table) else last + last[:1]
        out.append(entry)
        if last is not None and len(table) < 4096:
            table.append(last + entry[:1])
        if len(table) == 1 << width and width < 12:
            width += 1
        last = entry


@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("colors, size", [(2, 40), (7, 255), (200, 3000), (250, 20000), (256, 511), (256, 512)])
def test_gif(monkeypatch, literal, colors, size):
    monkeypatch.setattr(gifs, "LARGE", -1 if literal else 10**9)
    rng = np.random.default_rng(size)
    frames = rng.integers(0, 256, (colors, 3)).astype(np.uint8)[rng.integers(0, colors, (2, 1, size))]
    palette, pictures = ungif(gifs.gif(frames))
    np.testing.assert_array_equal(palette[np.stack(pictures)], frames)


def test_gif_of_many_colors_keeps_their_means():
    x = np.linspace(0, 1, 64)
    frame = (np.stack([np.outer(x, x), np.outer(1 - x, x), np.outer(x, 1 - x)], -1) * 255).astype(np.uint8)[None]
    palette, (picture,) = ungif(gifs.gif(frame))
    assert np.abs(palette[picture].mean((0, 1)) - frame.mean((0, 1, 2))).max() < 3


def test_record_writer(tmp_path):
    with open(tmp_path / "x", "wb") as file:
        writer = RecordWriter(file)
        writer.write(b"one")
        writer.write(b"")
        writer.flush()
        writer.close()
        assert writer.closed
    assert list(records(tmp_path / "x")) == [b"one", b""]


# the writer

def test_a_file_begins_with_its_version(tmp_path):
    with SummaryWriter(tmp_path, filename_suffix=".end") as writer:
        assert writer.get_logdir() == str(tmp_path)
    (name,) = os.listdir(tmp_path)
    assert name.startswith("events.out.tfevents.") and name.endswith(".end") and f".{os.getpid()}." in name
    (first,) = events(tmp_path)
    assert first[3] == [b"brain.Event:2"]


def test_scalars(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("a", weft.tensor(1.5), weft.tensor(3), walltime=12.25)
        writer.add_scalar("a", float("nan"), 4)
        writer.add_scalar("b", np.float32(2))
        writer.add_scalar("c", weft.tensor(2.0, requires_grad=True) * 2)
    found = values(tmp_path)
    assert [(tag, step) for tag, step, _ in found] == [("a", 3), ("a", 4), ("b", 0), ("c", 0)]
    assert found[0][2][2] == [1.5] and np.isnan(found[1][2][2][0]) and found[3][2][2] == [4.0]
    assert events(tmp_path)[1][1] == [12.25]


def test_image_and_sound(tmp_path):
    image = np.random.default_rng(0).integers(0, 256, (3, 4, 5)).astype(np.uint8)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("i", weft.tensor(image))
        writer.add_audio("s", weft.zeros(10), sample_rate=100)
    (_, _, shown), (_, _, heard) = values(tmp_path)
    fields = decode(shown[4][0])
    assert (fields[1], fields[2], fields[3]) == ([4], [5], [3])
    np.testing.assert_array_equal(unpng(fields[4][0]), image.transpose(1, 2, 0))
    sound = decode(heard[6][0])
    assert (sound[1], sound[2], sound[3], sound[5]) == ([100.0], [1], [10],
                                                        [b"audio/wav"]) and len(sound[4][0]) == 44 + 20


def test_image_values(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("i", np.array([[0, 0.5, 1, 2, -1, np.nan]]), dataformats="HW")
    pixels = unpng(decode(values(tmp_path)[0][2][4][0])[4][0])
    assert pixels[0, :, 0].tolist() == [0, 127, 255, 255, 0, 0]


def test_figures(tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure
    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("one", Figure(figsize=(2, 1), dpi=40))
        writer.add_figure("two", [Figure(figsize=(2, 1), dpi=40), Figure(figsize=(2, 1), dpi=40)])
    one, two = (unpng(decode(fields[4][0])[4][0]) for _, _, fields in values(tmp_path))
    assert one.shape == (40, 80, 3) and two.shape == (40, 160, 3)


class Branchy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("scale", weft.ones(3))

    def forward(self, x, times):
        for _ in range(int(times)):
            x = self.layer(x)
        return {"out": x * self.scale, "best": x.argmax(1)}


def graph_of(folder):
    (encoded,) = [event[4][0] for event in events(folder) if 4 in event]
    nodes = [decode(n) for n in decode(encoded)[1]]
    return {n[1][0].decode(): (n[2][0].decode(), [i.decode() for i in n.get(3, ())]) for n in nodes}


def test_graph(tmp_path, capsys):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Branchy(), (weft.rand(2, 3), 2), verbose=True)
    assert "nodes" in capsys.readouterr().out
    graph = graph_of(tmp_path)
    assert graph["Branchy/layer/linear"] == ("linear", ["input/input_0", "Branchy/layer/weight", "Branchy/layer/bias"])
    assert graph["Branchy/layer/linear_1"][1][0] == "Branchy/layer/linear"
    assert graph["Branchy/mul"][1] == ["Branchy/layer/linear_1", "Branchy/scale"]
    assert graph["Branchy/argmax"][1] == ["Branchy/layer/linear_1"]           # though it has no gradient
    assert graph["output/output_0"] == ("Output", ["Branchy/mul"]) and graph["output/output_1"][1] == ["Branchy/argmax"]


def test_graph_leaves_no_watcher_behind(tmp_path):
    from weft.core.modes import local
    from weft.core.runtime import mode_bits
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(RuntimeError):
            writer.add_graph(nn.Linear(2, 2), weft.rand(1, 5))
        assert not local.watchers and mode_bits() == 0
    assert not [e for e in events(tmp_path) if 4 in e]


def test_onnx_graph(tmp_path):
    def value(name, *sizes):
        dims = b"".join(wire.data(1, wire.integer(1, n)) for n in sizes)
        return wire.text(1, name) + wire.data(2, wire.data(1, wire.integer(1, 1) + wire.data(2, dims)))
    node = wire.text(1, "x") + wire.text(1, "w") + wire.text(2, "y") + wire.text(4, "MatMul")
    graph = wire.data(1, node) + wire.data(5, wire.integer(1, 3) + wire.integer(1, 2) + wire.text(8, "w"))
    graph += wire.data(11, value("x", 4, 3)) + wire.data(12, value("y", 4, 2))
    (tmp_path / "net.onnx").write_bytes(wire.integer(1, 8) + wire.data(7, graph))
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_onnx_graph(tmp_path / "net.onnx")
    assert graph_of(tmp_path / "run") == {"x": ("Variable", []), "w": ("Initializer", []),
                                          "MatMul_0": ("MatMul", ["x", "w"]), "output/y": ("Output", ["MatMul_0"])}


def test_hparams_go_to_a_run_of_their_own(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1, "name": "x"}, {"loss": 2.0}, run_name="r")
    tags = [tag for tag, _, _ in values(tmp_path / "r")]
    assert tags == ["_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info", "loss"]


# when things are written

def test_nothing_is_written_before_the_queue_is_full(tmp_path):
    writer = SummaryWriter(tmp_path, max_queue=1000, flush_secs=1000)
    for i in range(5):
        writer.add_scalar("a", i, i)
    assert len(events(tmp_path)) == 1
    writer.flush()
    assert len(events(tmp_path)) == 6
    writer.close()
    writer.close()


def wait_until(condition):
    import time
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def test_a_full_queue_is_written_in_the_background(tmp_path):
    writer = SummaryWriter(tmp_path, max_queue=3, flush_secs=1000)
    for i in range(3):
        writer.add_scalar("a", i, i)
    wait_until(lambda: len(events(tmp_path)) == 4)
    writer.close()


def test_flush_secs(tmp_path):
    writer = SummaryWriter(tmp_path, max_queue=1000, flush_secs=0.05)
    writer.add_scalar("a", 1)
    wait_until(lambda: len(events(tmp_path)) == 2)
    writer.close()


def test_closed_writer_opens_another_file(tmp_path):
    writer = SummaryWriter(tmp_path)
    writer.close()
    writer.add_scalar("a", 1)
    writer.close()
    assert len(os.listdir(tmp_path)) == 2 and [tag for tag, _, _ in values(tmp_path)] == ["a"]
    low = FileWriter(tmp_path / "low")
    low.close()
    with pytest.raises(OSError, match="closed"):
        low.add_event(messages.event(version="x"))
    low.reopen()
    low.add_event(messages.event(version="x"), 3)
    low.close()
    assert len(events(tmp_path / "low")) == 3


def test_many_threads(tmp_path):
    import threading
    with SummaryWriter(tmp_path, max_queue=4) as writer:
        threads = [threading.Thread(target=lambda k=k: [writer.add_scalar(f"t{k}", i, i) for i in range(50)])
                   for k in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    found = values(tmp_path)
    for k in range(4):
        assert [step for tag, step, _ in found if tag == f"t{k}"] == list(range(50))


def run(code, folder, *, fails=False):
    made = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(folder)], capture_output=True, text=True,
                          timeout=120)
    assert (made.returncode != 0) == fails, made.stderr
    return made


def test_what_waits_is_written_at_exit(tmp_path):
    run("""
        import sys
        from weft.utils.tensorboard import SummaryWriter
        writer = SummaryWriter(sys.argv[1])
        writer.add_scalar("a", 1)
        raise SystemError("unplanned")
        """, tmp_path, fails=True)
    assert [tag for tag, _, _ in values(tmp_path)] == ["a"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_a_file_of_its_own(tmp_path):
    run("""
        import os, sys
        from weft.utils.tensorboard import SummaryWriter
        writer = SummaryWriter(sys.argv[1])
        writer.add_scalar("before", 1)
        child = os.fork()
        if child == 0:
            writer.flush()
            if os.fork() == 0:
                sys.exit(0)             # a child that logs nothing writes nothing
            writer.add_scalar("child", 2)
            os.wait()
            sys.exit(0)
        os.waitpid(child, 0)
        writer.add_scalar("parent", 3)
        """, tmp_path)
    assert len(os.listdir(tmp_path)) == 2
    assert sorted(tag for tag, _, _ in values(tmp_path)) == ["before", "child", "parent"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
def test_a_killed_program_leaves_a_readable_file(tmp_path):
    made = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import os, signal, sys
        from weft.utils.tensorboard import SummaryWriter
        writer = SummaryWriter(sys.argv[1], max_queue=2)
        for i in range(500):
            writer.add_scalar("a", i, i)
        writer.flush()
        writer.add_scalar("a", 500, 500)
        os.kill(os.getpid(), signal.SIGKILL)
        """), str(tmp_path)], timeout=120)
    assert made.returncode == -signal.SIGKILL
    assert [step for _, step, _ in values(tmp_path)][:500] == list(range(500))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
def test_a_full_disk_is_told_and_loses_nothing(tmp_path):
    writer = SummaryWriter(tmp_path, max_queue=1000)
    file = writer.file_writer.event_writer
    good, full = file._file, open("/dev/full", "ab", buffering=0)

    class Full:
        seek, write = good.seek, full.write

        def truncate(self, size):
            return good.truncate(size)
    writer.add_scalar("a", 1)
    file._file = Full()
    with pytest.raises(OSError, match="No space"):
        writer.flush()
    file._file = good
    writer.close()
    full.close()
    assert [tag for tag, _, _ in values(tmp_path)] == ["a"]


# tables beside

def test_csv_and_jsonl(tmp_path):
    with SummaryWriter(tmp_path, csv=True, jsonl=True) as writer:
        writer.add_scalar('loss, "train"', 0.1, 1, walltime=5.0)
        writer.add_scalar("loss", float("nan"))
        writer.add_scalars("both", {"a": 1, "b": weft.tensor(2.0)}, 7)
        writer.add_text("note", "two\nlines", 2)
        writer.add_histogram("h", [1.0, 3.0], 3)
        writer.add_image("i", weft.zeros(3, 2, 2), 4)
        writer.add_hparams({"lr": weft.tensor(0.5)}, {"m": 1}, run_name="r")
    rows = list(csv.reader(open(tmp_path / "scalars.csv")))
    assert rows[0] == ["wall_time", "step", "tag", "value"]
    assert rows[1] == ["5.000000", "1", 'loss, "train"', "0.1"] and rows[2][1:] == ["", "loss", "nan"]
    assert [row[1:] for row in rows[3:]] == [["7", "both/a", "1.0"], ["7", "both/b", "2.0"]]
    lines = [json.loads(line) for line in open(tmp_path / "events.jsonl")]
    assert [line["kind"] for line in lines] == ["scalar", "scalar", "scalar", "scalar", "text", "histogram", "image",
                                                "hparams"]
    assert lines[1]["value"] == "nan" and lines[4]["value"] == "two\nlines" and lines[5]["value"]["mean"] == 2
    assert lines[6] == {"kind": "image", "tag": "i", "step": 4, "wall_time": lines[6]["wall_time"]}
    assert lines[7]["value"] == {"hparams": {"lr": 0.5}, "metrics": {"m": 1.0}}


def test_tables_go_on_and_purge(tmp_path):
    for purge, first in ((None, 0), (3, 3)):
        with SummaryWriter(tmp_path, purge_step=purge, csv=True, jsonl=True) as writer:
            for step in range(first, first + 5):
                writer.add_scalar("a", step, step)
    assert [row[1] for row in csv.reader(open(tmp_path / "scalars.csv"))] == ["step", *"01234567"]
    assert [json.loads(line)["step"] for line in open(tmp_path / "events.jsonl")] == list(range(8))


# errors

ERRORS = [
    (AssertionError, "one element", lambda w: w.add_scalar("a", weft.ones(2))),
    (TypeError, "a tag is a str", lambda w: w.add_scalar(3, 1)),
    (TypeError, "global_step", lambda w: w.add_scalar("a", 1, "x")),
    (NotImplementedError, "numpy array or torch tensor", lambda w: w.add_scalar("a", None)),
    (ValueError, "no element", lambda w: w.add_histogram("a", weft.ones(0))),
    (ValueError, "NaN or inf", lambda w: w.add_histogram("a", weft.full((2,), float("nan")))),
    (ValueError, "len", lambda w: w.add_histogram_raw("a", 0, 1, 1, 1, 1, [1, 2], [1])),
    (AssertionError, "input_format: CHW", lambda w: w.add_image("a", weft.ones(3, 3))),
    (AssertionError, "twice", lambda w: w.add_image("a", weft.ones(3, 3), dataformats="HH")),
    (AssertionError, "order of", lambda w: w.add_image("a", weft.ones(3, 3), dataformats="XY")),
    (ValueError, "channels", lambda w: w.add_image("a", weft.ones(5, 3, 3))),
    (ValueError, "empty", lambda w: w.add_image("a", weft.ones(3, 0, 3))),
    (ValueError, "boxes are", lambda w: w.add_image_with_boxes("a", weft.ones(3, 5, 5), weft.ones(2, 3))),
    (ValueError, "N, T, C, H, W", lambda w: w.add_video("a", weft.ones(3, 5, 5))),
    (AssertionError, "1 dimensional", lambda w: w.add_audio("a", weft.ones(3, 5))),
    (TypeError, "str", lambda w: w.add_text("a", 3)),
    (ValueError, "BxNx3", lambda w: w.add_mesh("a", weft.ones(3, 5))),
    (ValueError, "probabilities", lambda w: w.add_pr_curve("a", [0, 1], [0.5, 2])),
    (ValueError, "2 labels", lambda w: w.add_pr_curve("a", [0, 1], [0.5])),
    (TypeError, "dictionary", lambda w: w.add_hparams([], {})),
    (ValueError, "'x' should be one of", lambda w: w.add_hparams({"x": object()}, {})),
    (TypeError, r"hparam_domain_discrete\[x\]", lambda w: w.add_hparams({"x": 1}, {}, {"x": ["a"]})),
    (AssertionError, "Expected 3 tags", lambda w: w.add_custom_scalars_marginchart(["a"])),
    (AssertionError, "2D", lambda w: w.add_embedding(weft.ones(3))),
    (AssertionError, "#labels", lambda w: w.add_embedding(weft.ones(3, 2), ["a"])),
    (AssertionError, "#images", lambda w: w.add_embedding(weft.ones(3, 2), label_img=weft.ones(2, 3, 4, 4))),
    (AssertionError, "header", lambda w: w.add_embedding(weft.ones(2, 2), [(1,), (2, 3)], metadata_header=["a", "b"])),
    (TypeError, "nn.Module", lambda w: w.add_graph(3, weft.ones(1))),
    (ValueError, "input_to_model", lambda w: w.add_graph(nn.Linear(1, 1))),
]


@pytest.mark.parametrize("kind, text, call", ERRORS, ids=[text for _, text, _ in ERRORS])
def test_errors_leave_nothing_behind(tmp_path, kind, text, call):
    with SummaryWriter(tmp_path, csv=True) as writer:
        with pytest.raises(kind, match=text):
            call(writer)
    assert len(events(tmp_path)) == 1 and len(os.listdir(tmp_path)) == 2
    assert len((tmp_path / "scalars.csv").read_text().splitlines()) == 1


def test_nothing_foreign_is_imported():
    code = ("import sys, weft; assert 'weft.utils.tensorboard' not in sys.modules\n"
            "weft.utils.tensorboard.SummaryWriter\n"
            "found = {'tensorboard', 'google', 'torch', 'PIL', 'matplotlib', 'tensorflow'} & set(sys.modules)\n"
            "assert not found, found")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_graph_where_other_writers_look_for_it():
    from weft.utils.tensorboard._pytorch_graph import graph
    made, run = graph(weft.nn.Linear(3, 2), weft.randn(1, 3), use_strict_trace=False)
    assert b"Linear/weight" in made.SerializeToString() and type(run.SerializeToString()) is bytes
