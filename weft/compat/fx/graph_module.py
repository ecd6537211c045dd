"""Modules made of a traced graph: weft makes none."""
from weft._absent import absent_classes

absent_classes("GraphModule", globals())
