"""Sentiment trees: '(3 (2 It) (4 (2 really) (3 works)))', read without recursion, however deep."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self

class Tree(tuple[Any, ...]):
    label: Any
    word: Any
    children: Any
    def __new__(cls, label: str, word: Any, children: tuple) -> Self: ...

def parse_tree(line: Any) -> Any: ...
def labelled_spans(line: Any) -> Any: ...
