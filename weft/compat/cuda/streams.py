"""torch.cuda.streams: the streams of GPUs, of which there are none."""
from weft.cuda.absent import Event as Event
from weft.cuda.absent import ExternalStream as ExternalStream
from weft.cuda.absent import Stream as Stream
