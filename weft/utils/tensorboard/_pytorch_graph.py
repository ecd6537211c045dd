"""`graph`, where tensorboardX and PyTorch's own writer find it: messages that know how to write themselves."""
from weft.utils.tensorboard import graph as drawn


class Message(bytes):
    """An encoded message that can be asked for its bytes, as those of the protobuf package can."""

    def SerializeToString(self):
        return bytes(self)


def graph(model, args, verbose=False, use_strict_trace=True):
    """(GraphDef, RunMetadata) of `model(*args)`: the ops that ran, in the scopes of their modules. `use_strict_trace`
    changes nothing: a call is watched, so its result may be any container.
    """
    made, run = drawn.graph(model, args, verbose)
    return Message(made), Message(run)
