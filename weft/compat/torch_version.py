"""torch.torch_version: PyTorch's version as a text that compares as a version."""
import re

__all__ = ["TorchVersion"]
# what weft stands for where it is imported as torch: PyTorch's version whose API it has, and whose it is
TORCH = "2.13.0+weft"


def _key(version):
    """(2, 13, 0) of "2.13.0+weft", (2, 13, 0), packaging's Version(2.13.0); pre-releases come before."""
    if isinstance(version, (tuple, list)):
        version = ".".join(map(str, version))
    text = str(version).partition("+")[0]
    found = re.match(r"\s*v?(\d+(?:\.\d+)*)\s*[.\-_]?(.*)", text)
    if found is None:
        raise ValueError(f"{version!r} is no version")
    numbers = [int(n) for n in found[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    rest = found[2].strip()
    return tuple(numbers), not rest or rest.startswith("post"), rest


class TorchVersion(str):
    """The text of a version; < and its kin compare it as a version with texts, tuples of numbers and other versions.

    >>> from weft.torch_version import TorchVersion
    >>> TorchVersion("2.13.0+weft") >= (2, 2), TorchVersion("2.13.0") > "2.9"
    (True, True)
    """

    def _compare(self, other, how):
        try:
            return how(_key(self), _key(other))
        except ValueError:
            return how(str(self), other) if isinstance(other, str) else NotImplemented

    def __lt__(self, other):
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compare(other, lambda a, b: a >= b)

    def __eq__(self, other):
        if isinstance(other, str) and str.__eq__(self, other):
            return True
        return self._compare(other, lambda a, b: a == b)

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__
