"""The base of datasets of pictures."""
import os

from weft.utils.data import Dataset

__all__ = ["VisionDataset", "StandardTransform"]


class StandardTransform:
    """A transform of the picture and one of the target, as one of both.

    >>> from weft.vision.datasets.vision import StandardTransform
    >>> StandardTransform(lambda x: x + 1, None)(1, 2)
    (2, 2)
    """

    def __init__(self, transform=None, target_transform=None):
        self.transform, self.target_transform = transform, target_transform

    def __call__(self, input, target):
        return (input if self.transform is None else self.transform(input),
                target if self.target_transform is None else self.target_transform(target))

    def __repr__(self):
        return f"StandardTransform\nTransform: {self.transform}\nTarget transform: {self.target_transform}"


class VisionDataset(Dataset):
    """The base of datasets with pictures in a folder; transforms (of both) or transform and target_transform.

    >>> import weft
    >>> class Two(weft.vision.datasets.VisionDataset):
    ...     def __len__(self): return 2
    >>> Two("pictures")
    Dataset Two
        Number of datapoints: 2
        Root location: pictures
    """

    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        self.transform, self.target_transform = transform, target_transform
        if transform is not None or target_transform is not None:
            transforms = StandardTransform(transform, target_transform)
        self.transforms = transforms

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __len__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __len__")

    def __repr__(self):
        lines = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"Root location: {self.root}")
        lines += [line for line in self.extra_repr().splitlines() if line]
        if self.transforms is not None:
            lines += repr(self.transforms).splitlines()
        return "\n".join([f"Dataset {type(self).__name__}", *("    " + line for line in lines)])

    def extra_repr(self):
        """More lines for printing.

        >>> import weft
        >>> weft.vision.datasets.VisionDataset("here").extra_repr()
        ''
        """
        return ""

    def _both(self, picture, target):
        return (picture, target) if self.transforms is None else self.transforms(picture, target)


def not_found(dataset, root, what, download):
    """The error for files that aren't there."""
    hint = "what was fetched has it neither" if download else "they must be there"
    return RuntimeError(f"Dataset not found or corrupted. {dataset}: {root!r} has no {what}; {hint}\n  fix: put the "
                        "dataset's usual files there" + ("" if download else ", or give download=True"))
