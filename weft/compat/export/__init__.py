"""torch.export: weft has none; packages import its names to compare with."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_classes("AdditionalInputs Constraint CustomDecompTable Dim ExportBackwardSignature ExportGraphSignature "
         "ExportedProgram FlatArgsAdapter ModuleCallEntry ModuleCallSignature ShapesCollection UnflattenedModule",
         globals())
_functions("default_decompositions dims draft_export export load register_dataclass save unflatten", globals())
