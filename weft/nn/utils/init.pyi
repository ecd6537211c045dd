"""Modules without the work of initialising them."""
# made by tools/stubs.py
from typing import Any

def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any: ...
