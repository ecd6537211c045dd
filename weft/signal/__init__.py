"""Signal processing: windows."""
from weft.signal import windows as windows
