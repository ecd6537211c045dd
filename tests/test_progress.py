"""The progress bar: one live line in a terminal, plain lines in a log, silence on other ranks."""
import io

import pytest

from weft.utils import progress
from weft.utils.progress import Progress


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Time that stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress.shutil, "get_terminal_size", lambda: __import__("os").terminal_size((120, 24)))
    for name in (*progress.RANKS, "WEFT_PROGRESS"):
        monkeypatch.delenv(name, raising=False)
    return now


def run(file, clock, seconds=1.0, count=4, **given):
    with Progress(range(count), "epoch 1/2", unit="batch", file=file, **given) as bar:
        for i in bar:
            clock[0] += seconds
            bar.show(loss=0.123456 * (i + 1), accuracy="97.1%")
    return file.getvalue()


def test_a_terminal_has_one_line_that_is_drawn_over(clock):
    text = run(Terminal(), clock)
    lines = text.split("\r")
    assert text.count("\n") == 1 and text.endswith("\n")
    assert lines[2] == "epoch 1/2:  50%|███████████████               | 2/4 [00:02<00:02, 1.0batch/s, loss=0.2469, accuracy=97.1%]"
    assert lines[-1].startswith("epoch 1/2: 100%|" + "█" * 30 + "| 4/4 [00:04<00:00,")


def test_a_shorter_line_leaves_nothing_of_the_longer_one_behind(clock):
    bar = Progress(range(2), file=Terminal())
    bar.show(word="long " * 5)
    clock[0] += 1
    bar.update()
    bar.show(word="x")
    clock[0] += 1
    bar.update()
    first, second = bar.file.getvalue().split("\r")[1:]
    assert len(first) == len(second)


def test_a_log_has_a_plain_line_every_ten_seconds_and_one_at_the_end(clock):
    text = run(io.StringIO(), clock, seconds=4.0, count=6)
    assert text.splitlines() == [
        "epoch 1/2:  50% 3/6 [00:12<00:12, 4.00s/batch, loss=0.3704, accuracy=97.1%]",
        "epoch 1/2: 100% 6/6 [00:24<00:00, 4.00s/batch, loss=0.7407, accuracy=97.1%]"]
    assert "\r" not in text


def test_what_an_earlier_run_did_does_not_count_for_the_rate(clock):
    bar = Progress(total=100, start=90, file=io.StringIO(), unit="batch")
    clock[0] += 10
    bar.update(5)
    bar.close()
    assert bar.file.getvalue().splitlines()[-1] == " 95% 95/100 [00:10<00:10, 2.00s/batch]"


def test_other_ranks_are_silent(clock, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    assert run(Terminal(), clock) == ""
    monkeypatch.setenv("RANK", "0")
    assert run(Terminal(), clock)


def test_the_environment_overrules(clock, monkeypatch):
    monkeypatch.setenv("WEFT_PROGRESS", "off")
    assert run(Terminal(), clock) == ""
    monkeypatch.setenv("WEFT_PROGRESS", "loud")
    with pytest.raises(ValueError, match="off, plain or live"):
        Progress(range(3))


def test_a_terminal_without_such_letters_gets_others(clock):
    file = Terminal()
    file.encoding = "ascii"
    assert "|" + "#" * 15 + " " * 15 + "|" in run(file, clock)


def test_without_a_length_it_counts(clock):
    text = run(io.StringIO(), clock, total=None, count=3)
    assert "3/3" in text
    bar = Progress(iter([1, 2]), file=io.StringIO(), unit="word")
    assert list(bar) == [1, 2]
    assert bar.file.getvalue().startswith("2 word [00:00, ")


def test_an_exception_ends_the_line(clock):
    file = Terminal()
    with pytest.raises(KeyboardInterrupt), Progress(range(3), file=file) as bar:
        for _ in bar:
            raise KeyboardInterrupt
    assert file.getvalue().endswith("\n") and file.getvalue().count("\n") == 1


def test_a_closed_pipe_does_not_end_the_training(clock):
    file = Terminal()
    bar = Progress(range(3), file=file)
    file.close()
    clock[0] += 1
    bar.update()
    bar.close()
