"""Checkpoints: save and load, in PyTorch's format and in safetensors, without ever running what is in a file."""
# made by tools/stubs.py

from weft.io.api import load as load
from weft.io.api import save as save
