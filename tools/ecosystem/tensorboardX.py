"""tensorboardX: event files."""
# pip install tensorboardX tensorboard
import glob

import torch
from tensorboardX import SummaryWriter
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.record_writer import RecordWriter  # noqa: F401


def _events(folder):
    """The events of a folder's file, without their times."""
    import struct
    with open(glob.glob(folder + "/events*")[0], "rb") as file:
        data, at = file.read(), 0
    found = []
    while at < len(data):
        length, = struct.unpack("<Q", data[at:at + 8])
        event = Event.FromString(data[at + 12:at + 12 + length])
        event.wall_time = 0
        found.append(str(event))
        at += 16 + length
    return found


def writing():
    """scalars, histograms, pictures, text, embeddings, PR curves, hyperparameters: the same events"""
    with SummaryWriter("runs/a") as writer:
        for i in range(3):
            writer.add_scalar("loss", torch.tensor(1.0 / (i + 1)), i)
            writer.add_scalars("both", {"x": torch.tensor(float(i)), "y": i}, i)
        writer.add_histogram("weights", torch.linspace(-1, 1, 40), 0)
        writer.add_image("picture", torch.linspace(0, 1, 3 * 8 * 8).view(3, 8, 8), 0)
        writer.add_text("said", "hello", 0)
        writer.add_pr_curve("curve", torch.tensor([0, 1, 1, 0]), torch.tensor([0.1, 0.8, 0.4, 0.35]), 0)
        writer.add_embedding(torch.arange(6.0).view(3, 2), metadata=["a", "b", "c"])
    return _events("runs/a")


def graphs():
    """`add_graph` of a small network"""
    with SummaryWriter("runs/b") as writer:
        writer.add_graph(torch.nn.Linear(3, 2), torch.randn(1, 3))
    return len(_events("runs/b"))
