"""Seeing what runs: the graph as an object, as text, as a picture and as a page; recording of steps and runs."""
# made by tools/stubs.py

from weft.viz.graph import Graph as Graph
from weft.viz.graph import Node as Node
from weft.viz.record import record as record
from weft.viz.recorder import watch as watch
from weft.viz.recorder import log as log
from weft.viz.run import Run as Run
from weft.viz.page import html as html
from weft.viz.page import show as show
from weft.viz.server import Server as Server
