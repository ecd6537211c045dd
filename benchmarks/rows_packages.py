"""Other people's models, where their packages are installed."""
import importlib.util

from child import Child
from packages import MODELS
from rows import Row


def row(name):
    return Row(name, lambda T: Child(name, T.__name__, T.get_num_threads()), 0.85, "packages")


ROWS = [row(name) for name, (package, _) in MODELS.items() if importlib.util.find_spec(package)]
