"""Inside IPython and notebooks: the shell, and which cell a file is."""
import sys


def shell():
    """IPython's shell, where the program runs in one."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def shown_file(path):
    """A file as a user knows it: a cell has a made-up name, and is told by its number, `In[4]`."""
    known = getattr(getattr(shell(), "compile", None), "_filename_map", None) or {}
    number = known.get(path)
    return path if number is None else f"In[{number}]"
