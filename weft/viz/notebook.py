"""Inside a notebook: which cell a file is, and showing a page as a cell's output, which works for a remote one too."""
from html import escape

from weft.core.tracebacks import shell

HEIGHT = 680            # pixels


def is_notebook():
    """Whether what is displayed goes to a notebook; a terminal's IPython has no kernel."""
    return getattr(shell(), "kernel", None) is not None


def shown_file(path):
    """A file as a user knows it: a cell has a made-up name, and is told by its number, `In[4]`."""
    known = getattr(getattr(shell(), "compile", None), "_filename_map", None) or {}
    number = known.get(path)
    return path if number is None else f"In[{number}]"


def display(page, title):
    """Show a whole page as a cell's output: in a frame of its own, which may run its script and save pictures."""
    # in a div: IPython warns of a frame by itself, and would have it load an address
    frame = (f'<div><iframe srcdoc="{escape(page)}" title="{escape(title)}" sandbox="allow-scripts allow-downloads" '
             f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #8884; border-radius: 8px"></iframe></div>')
    from IPython.display import HTML  # there is one, or nobody would have come here
    from IPython.display import display as give  # the same
    give(HTML(frame))
