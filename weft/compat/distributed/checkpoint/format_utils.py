"""torch.distributed.checkpoint.format_utils: from a checkpoint's folder to one file, and back."""
import os

from weft._absent import absent_classes as _classes
from weft.distributed.saving.files import FileSystemReader
from weft.distributed.saving.states import put, save, whole
from weft.io import api

_classes("BroadcastingTorchSaveReader DynamicMetaLoadPlanner", globals(), "torch_save_to_dcp(file, folder)")


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    """Write a checkpoint's folder as one file for `torch.load`, with whole tensors.

    The state is nested again where every key on the way was a text or a place.
    """
    reader = FileSystemReader(dcp_checkpoint_dir)
    found = reader.read_metadata()
    state = {name: whole(entry, reader, name) for name, entry in found["tensors"].items()}
    state.update(found["values"])
    nested = {}
    for name, value in state.items():
        path = found["paths"][name]
        at = nested
        for key in path[:-1]:
            at = at.setdefault(key, {})
        put(nested, tuple(path), value)
    api.save(nested, os.fspath(torch_save_path))


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    """Write a file of `torch.save` as a checkpoint's folder; one process does it."""
    save(api.load(os.fspath(torch_save_path)), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
