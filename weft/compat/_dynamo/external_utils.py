"""What code that is looked at by a compiler may ask."""
from weft.compiler import is_compiling as is_compiling
