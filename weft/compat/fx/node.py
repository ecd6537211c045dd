"""Nodes of a traced graph: weft makes none."""
from typing import Any

from weft._absent import absent_classes, absent_functions

Target = Argument = BaseArgumentTypes = Any     # for annotations

absent_classes("Node", globals(), place="torch.fx")
absent_functions("map_arg map_aggregate", globals())
