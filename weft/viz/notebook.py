"""Inside a notebook: showing a page as a cell's output, which works for a remote one too."""
from html import escape

from weft.core.cells import shell

HEIGHT = 680            # pixels


def is_notebook():
    """Whether what is displayed goes to a notebook; a terminal's IPython has no kernel."""
    return getattr(shell(), "kernel", None) is not None


def display(page, title):
    """Show a whole page as a cell's output: in a frame of its own, which may run its script and save pictures."""
    # in a div: IPython warns of a frame by itself, and would have it load an address
    frame = (f'<div><iframe srcdoc="{escape(page)}" title="{escape(title)}" sandbox="allow-scripts allow-downloads" '
             f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #8884; border-radius: 8px"></iframe></div>')
    from IPython.display import HTML  # there is one, or nobody would have come here
    from IPython.display import display as give  # the same
    give(HTML(frame))
