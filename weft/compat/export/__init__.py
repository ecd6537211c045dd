"""torch.export: weft has none; packages import its names to compare with."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_classes("Dim ExportedProgram", globals())
_functions("export load save", globals())
