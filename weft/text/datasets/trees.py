"""Sentiment trees: '(3 (2 It) (4 (2 really) (3 works)))', read without recursion, however deep."""
import re
from typing import NamedTuple

from weft.core.errors import fail

__all__ = ["Tree", "parse_tree"]
_PIECE = re.compile(r"\(|\)|[^()\s]+")


class Tree(NamedTuple):
    """A node: its label, its word if it is a leaf, and its children.

    >>> from weft.text.datasets import Tree
    >>> Tree("2", "It", ()).word
    'It'
    """
    label: str
    word: str | None
    children: tuple


def parse_tree(line):
    """The tree of a line in brackets.

    >>> from weft.text.datasets import parse_tree
    >>> tree = parse_tree("(3 (2 It) (4 works))")
    >>> tree.label, [child.word for child in tree.children]
    ('3', ['It', 'works'])
    """
    open_nodes, done = [], None         # a node that is open: [label, word, children]
    for piece in _PIECE.findall(line):
        if done is not None:
            _refuse(line, "it goes on behind the last bracket")
        if piece == "(":
            open_nodes.append([None, None, []])
        elif not open_nodes:
            _refuse(line, "a bracket is closed that was not opened" if piece == ")" else "a bracket should begin it")
        elif piece == ")":
            label, word, children = open_nodes.pop()
            if label is None:
                _refuse(line, "a node has no label")
            node = Tree(label, word, tuple(children))
            if open_nodes:
                open_nodes[-1][2].append(node)
            else:
                done = node
        elif open_nodes[-1][0] is None:
            open_nodes[-1][0] = piece
        else:       # a word; of several they are one
            open_nodes[-1][1] = piece if open_nodes[-1][1] is None else f"{open_nodes[-1][1]} {piece}"
    if done is None:
        _refuse(line, "a bracket is not closed" if open_nodes else "it is empty")
    return done


def labelled_spans(line):
    """[(label, words)] of all nodes, the root first."""
    made, ends = [], []         # (label, first word), where the words of a node end is known when it is left
    words, pending = [], [(parse_tree(line), False)]
    while pending:
        node, seen = pending.pop()
        if seen:
            place, first = ends.pop()
            made[place] = node.label, words[first:]
            continue
        ends.append((len(made), len(words)))
        made.append(None)
        pending.append((node, True))
        if node.word is not None:
            words.extend(node.word.replace("-LRB-", "(").replace("-RRB-", ")").split())
        pending.extend((child, False) for child in reversed(node.children))
    return made


def _refuse(line, why):
    shown = line if len(line) < 60 else line[:57] + "..."
    fail(ValueError, f"this is no tree in brackets: {why}: {shown!r}", fix="such as '(3 (2 It) (4 works))'")
