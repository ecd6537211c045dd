"""Direction numbers of Sobol sequences, from the published table of Joe and Kuo (joe_kuo.txt).

joe_kuo.bin has the polynomials first: 3 is dimension 1's, and each byte is half the step to the next. Then the initial
numbers of dimension 1, 2, ...: the i-th (from 1) is odd and has at most i bits, so that i - 1 bits say it.
"""
import os

import numpy as np

MAXBIT = 30
MAXDIM = 21201


def directions(dimension):
    """The direction numbers of the first dimensions: an array of (dimension, MAXBIT)."""
    polynomials, bits = _table(dimension)
    numbers = np.ones((dimension, MAXBIT), dtype=np.int64)           # dimension 0 has all ones
    degrees = np.floor(np.log2(polynomials)).astype(int)
    start = 0
    for degree in np.unique(degrees):
        rows = 1 + np.flatnonzero(degrees == degree)
        width = degree * (degree - 1) // 2
        held = bits[start:start + len(rows) * width].reshape(len(rows), width)
        start += len(rows) * width
        numbers[rows] = _recur(polynomials[rows - 1], _initial(held, degree), degree)
    return numbers << np.arange(MAXBIT - 1, -1, -1)


def _table(dimension):
    with open(os.path.join(os.path.dirname(__file__), "joe_kuo.bin"), "rb") as file:
        steps = np.frombuffer(file.read(MAXDIM - 2), dtype=np.uint8)
        polynomials = 3 + 2 * np.concatenate([[0], np.cumsum(steps, dtype=np.int64)])[:dimension - 1]
        widths = np.floor(np.log2(polynomials)).astype(int)
        total = int((widths * (widths - 1) // 2).sum())
        packed = np.frombuffer(file.read((total + 7) // 8), dtype=np.uint8)
    return polynomials, np.unpackbits(packed)[:total].astype(np.int64)


def _initial(held, degree):
    """The first `degree` numbers of each row: their higher bits as they are held, and a last bit of 1."""
    numbers = np.ones((len(held), degree), dtype=np.int64)
    start = 0
    for i in range(1, degree):
        numbers[:, i] = (held[:, start:start + i] << np.arange(i, 0, -1)).sum(1) + 1
        start += i
    return numbers


def _recur(polynomials, first, degree):
    """All MAXBIT numbers: each is the xor of those before it whose coefficient in the polynomial is 1."""
    numbers = np.empty((len(first), MAXBIT), dtype=np.int64)
    numbers[:, :degree] = first
    for j in range(degree, MAXBIT):
        value = numbers[:, j - degree].copy()
        for k in range(1, degree + 1):
            taken = (polynomials >> (degree - k)) & 1
            value ^= (numbers[:, j - k] << k) * taken
        numbers[:, j] = value
    return numbers
