"""Seeing what runs: the graph as an object, as text, as a picture and as a page; recording of steps and runs."""
from weft.viz.graph import Graph as Graph
from weft.viz.graph import Node as Node
from weft.viz.record import record as record
