"""Signal processing: windows."""
# made by tools/stubs.py

from weft.signal import windows as windows
