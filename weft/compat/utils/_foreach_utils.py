"""torch.utils._foreach_utils: lists of tensors by their type, for optimizers that update many at once."""
_foreach_supported_types = []


def _get_foreach_kernels_supported_devices():
    """Devices on which PyTorch's optimizers choose lists by themselves: accelerators, so none that is here."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices():
    """Devices whose optimizers may be told fused=True."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
    """{(device, type of the first list's tensors): (the lists' entries of that type, their places)}; the places only
    where they are asked for.
    """
    places = {}
    for i, first in enumerate(tensorlistlist[0]):
        places.setdefault((first.device, first.dtype), []).append(i)
    return {key: ([[row[i] for i in found] if row else [] for row in tensorlistlist], found if with_indices else [])
            for key, found in places.items()}


def _device_has_foreach_support(device):
    """Whether PyTorch's optimizers would choose lists there by themselves."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors, device):
    """The same for tensors, which must all be plain."""
    return _device_has_foreach_support(device)
