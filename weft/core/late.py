"""Names that belong to a low part of the house but whose bodies stand in a higher one.

`weft/__init__.py` fills the table; a part asks for what was filled in, and so needs to know nobody above it.
"""
LATE = {}       # "Module.summary" -> (module, attribute; None is the module itself)


def late(name):
    """What is filled in under a name, imported when first asked for."""
    import importlib
    module, attribute = LATE[name]
    found = importlib.import_module(module)
    return found if attribute is None else getattr(found, attribute)
