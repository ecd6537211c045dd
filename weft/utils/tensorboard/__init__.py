"""torch.utils.tensorboard: event files for TensorBoard, written without it."""
from weft.utils.tensorboard.events import FileWriter
from weft.utils.tensorboard.records import RecordWriter
from weft.utils.tensorboard.writer import SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
