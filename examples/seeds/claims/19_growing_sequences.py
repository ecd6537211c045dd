"""Instances of the claim in text: sentences of any length and trees, without padding, and batched automatically."""
import weft
from weft import nn

weft.manual_seed(0)

cell, out = nn.GRUCell(4, 8), nn.Linear(8, 1)


def read(sequence):
    state = weft.zeros(8)
    for vector in sequence:             # as long as it is
        state = cell(vector, state)
    return out(state).squeeze()


sequences = [weft.randn(length, 4) for length in (3, 7, 1, 5)]
one_by_one = weft.stack([read(sequence) for sequence in sequences])
with weft.autobatch():                  # the same program; equal ops of all sequences run together
    together = weft.stack([read(sequence) for sequence in sequences])
print(tuple(together.shape), weft.allclose(one_by_one, together, atol=1e-6))
print([len(weft.graph(read(sequence)).find(op="recurrent_cell")) for sequence in sequences], "cells in the graphs")
