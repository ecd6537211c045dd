"""Pillow, which is imported when a picture is first used, and what weft asks of it."""
import importlib
import sys


def pillow(module="Image"):
    """PIL.<module>; without Pillow an error that says how to get it."""
    try:
        return importlib.import_module("PIL." + module)
    except ModuleNotFoundError as error:
        if error.name != "PIL":
            raise
        raise ModuleNotFoundError("this needs Pillow, which is not installed\n  fix: pip install pillow",
                                  name="PIL") from None


def is_picture(value):
    """Whether a value is an image of Pillow's; Pillow is not imported for the question."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(value, module.Image)
