"""One library's time for a product of shapes.py, measured in a process that has no other library (child.py)."""
import hashlib
import importlib
import time

import numpy as np
from measure import SAMPLE, best_of, once


def operands(product):
    """(A, B) as arrays that lie as the product says, small whole numbers so that every library's sums are exact."""
    rng = np.random.default_rng(product.m + product.k + product.n)

    def made(rows, columns, turned):
        lead = (product.stack,) if product.stack > 1 else ()
        shape = (*lead, columns, rows) if turned else (*lead, rows, columns)
        array = rng.integers(-4, 5, shape).astype(np.float32)
        return array.swapaxes(-1, -2) if turned else array
    return made(product.m, product.k, product.layout[0] == "t"), made(product.k, product.n, product.layout[1] == "t")


def call(library, product):
    """The product as a function; its operands lie alike for every library."""
    a, b = operands(product)
    if library == "numpy":
        return lambda: a @ b
    T = importlib.import_module(library)
    x, y = T.from_numpy(a), T.from_numpy(b)
    return lambda: x @ y


def timed(library, threads):
    """(product, seconds) -> (seconds of one call, a digest of its result); the operands are kept for the next turn."""
    if library != "numpy":
        importlib.import_module(library).set_num_threads(threads)
    clock = time.thread_time if threads == 1 else time.perf_counter
    had = {}

    def run(question):
        product, seconds = question
        if product not in had:
            had.clear()
            function = call(library, product)
            found = np.ascontiguousarray(function()) + np.float32(0)        # -0 becomes 0
            had[product] = function, hashlib.sha256(found.tobytes()).hexdigest()
        function, digest = had[product]
        guess = max(min(once(function, clock) for _ in range(3)), 1e-7)
        count = max(1, int(seconds / guess))
        return best_of(function, count, max(1, min(count, int(SAMPLE / guess))), clock), digest
    return run
