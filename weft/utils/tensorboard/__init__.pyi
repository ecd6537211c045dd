"""torch.utils.tensorboard: event files for TensorBoard, written without it."""
# made by tools/stubs.py

from weft.utils.tensorboard.events import FileWriter as FileWriter
from weft.utils.tensorboard.records import RecordWriter as RecordWriter
from weft.utils.tensorboard.writer import SummaryWriter as SummaryWriter
