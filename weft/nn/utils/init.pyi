"""Modules without the work of initialising them."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module

def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module: ...
