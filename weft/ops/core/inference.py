"""What tensors made in inference mode refuse outside of it."""
from weft.core.errors import fail
from weft.core.modes import INFERENCE
from weft.core.runtime import mode_bits


def check_inference(x, name):
    """Refuse to write to what inference mode made, outside of it."""
    if x._inference and not mode_bits() & INFERENCE:
        fail(RuntimeError, f"{name}: Inplace update to inference tensor outside InferenceMode is not allowed.",
             "clone() it first, outside inference_mode")


def refuse_saving(op):
    """The error of a graph that would have to keep such a tensor."""
    fail(RuntimeError, f"{op.name}: Inference tensors cannot be saved for backward.",
         "clone() it outside inference_mode, or make it under no_grad() instead")
