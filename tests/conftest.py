"""What every test gets: the same random numbers whatever ran before, and a check that it leaves no mode behind."""
import signal

import pytest

import weft
from weft.core.modes import local
from weft.core.runtime import mode_bits, set_mode_bits

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:       # a shell's background ignores Ctrl-C, and so would what
    signal.signal(signal.SIGINT, signal.default_int_handler)    # tests start and interrupt


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """Random numbers don't depend on the order of tests; grad mode, watchers, default type and threads are restored."""
    weft.manual_seed(0)
    threads, kind = weft.get_num_threads(), weft.get_default_dtype()
    yield
    bits, watchers, taker = mode_bits(), local.watchers, local.taker
    set_mode_bits(0)
    local.watchers, local.taker = [], None
    left = []
    if bits:
        left.append(f"mode bits {bits}")
    if watchers or taker is not None:
        left.append(f"watchers {watchers}, taker {taker}")
    if weft.get_default_dtype() is not kind:
        left.append(f"default type {weft.get_default_dtype()}")
        weft.set_default_dtype(kind)
    if weft.get_num_threads() != threads:
        left.append(f"{weft.get_num_threads()} threads")
        weft.set_num_threads(threads)
    assert not left, f"the test left {', '.join(left)}"
