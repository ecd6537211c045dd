"""The memory format of convolutions' weights."""
from weft.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def _converted(module, memory_format, kinds):
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone().contiguous(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """Put the weights of all two-dimensional convolutions into a memory format.

    >>> import weft
    >>> net = weft.nn.Conv2d(3, 4, 2)
    >>> net = weft.nn.utils.convert_conv2d_weight_memory_format(net, weft.channels_last)
    >>> net.weight.is_contiguous(memory_format=weft.channels_last)
    True
    """
    return _converted(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module, memory_format):
    """Put the weights of all three-dimensional convolutions into a memory format.

    >>> import weft
    >>> net = weft.nn.Conv3d(3, 4, 2)
    >>> net = weft.nn.utils.convert_conv3d_weight_memory_format(net, weft.channels_last_3d)
    >>> net.weight.is_contiguous(memory_format=weft.channels_last_3d)
    True
    """
    return _converted(module, memory_format, (Conv3d, ConvTranspose3d))
