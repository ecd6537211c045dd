"""torch.package: weft packs no code with a model; the names say so when they are used."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_FIX = "save the weights with torch.save(model.state_dict(), path)"
_classes("Directory GlobGroup Importer OrderedImporter PackageExporter PackageImporter", globals(), _FIX)
_functions("is_from_package file_structure_representation", globals(), _FIX)


class PackagingError(Exception):
    """What a packager would raise."""


class EmptyMatchError(Exception):
    """What a packager would raise."""


class ObjNotFoundError(Exception):
    """What a packager would raise."""


class ObjMismatchError(Exception):
    """What a packager would raise."""
