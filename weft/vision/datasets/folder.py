"""A folder for each class."""
import os

from weft.vision._pillow import pillow
from weft.vision.datasets.vision import VisionDataset

__all__ = ["DatasetFolder", "ImageFolder", "default_loader", "has_file_allowed_extension", "find_classes"]
IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def has_file_allowed_extension(filename, extensions):
    """Whether a name ends in one of the extensions.

    >>> from weft.vision.datasets.folder import has_file_allowed_extension
    >>> has_file_allowed_extension("a.PNG", (".png",))
    True
    """
    return filename.lower().endswith(extensions if isinstance(extensions, str) else tuple(extensions))


def default_loader(path):
    """A file as an image of Pillow's, in RGB.

    >>> from PIL import Image
    >>> from weft.vision.datasets.folder import default_loader
    >>> Image.new("L", (4, 2)).save("a.png")
    >>> default_loader("a.png").mode
    'RGB'
    """
    with open(path, "rb") as file:
        return pillow().open(file).convert("RGB")


def find_classes(directory):
    """(the folders of a folder, {folder: number}).

    >>> import os
    >>> from weft.vision.datasets.folder import find_classes
    >>> os.makedirs("animals/cat"); os.makedirs("animals/dog")
    >>> find_classes("animals")
    (['cat', 'dog'], {'cat': 0, 'dog': 1})
    """
    classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
    if not classes:
        raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
    return classes, {name: i for i, name in enumerate(classes)}


class DatasetFolder(VisionDataset):
    """Files root/class/.../name, each loaded by a function, and the class's number.

    >>> import os, weft
    >>> os.makedirs("words/short"); _ = open("words/short/a.txt", "w").write("hi")
    >>> data = weft.vision.datasets.DatasetFolder("words", lambda path: open(path).read(), (".txt",))
    >>> data[0]
    ('hi', 0)
    """

    def __init__(self, root, loader, extensions=None, transform=None, target_transform=None, is_valid_file=None,
                 allow_empty=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        classes, class_to_idx = self.find_classes(self.root)
        self.samples = self.make_dataset(self.root, class_to_idx, extensions, is_valid_file, allow_empty)
        self.loader, self.extensions, self.classes, self.class_to_idx = loader, extensions, classes, class_to_idx
        self.targets = [target for _, target in self.samples]

    @staticmethod
    def make_dataset(directory, class_to_idx, extensions=None, is_valid_file=None, allow_empty=False):
        """[(path, number of the class)].

        >>> import os, weft
        >>> os.makedirs("few/short"); _ = open("few/short/a.txt", "w").write("hi")
        >>> weft.vision.datasets.DatasetFolder.make_dataset("few", {"short": 0}, (".txt",))
        [('few/short/a.txt', 0)]
        """
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
        valid = is_valid_file or (lambda path: has_file_allowed_extension(path, extensions))
        samples, empty = [], set(class_to_idx)
        for name in sorted(class_to_idx):
            for folder, _, files in sorted(os.walk(os.path.join(directory, name), followlinks=True)):
                for file in sorted(files):
                    path = os.path.join(folder, file)
                    if valid(path):
                        samples.append((path, class_to_idx[name]))
                        empty.discard(name)
        if empty and not allow_empty:
            raise FileNotFoundError(f"Found no valid file for the classes {', '.join(sorted(empty))}."
                                    + (f" Supported extensions are: {extensions}" if extensions is not None else ""))
        return samples

    def find_classes(self, directory):
        """(classes, {class: number}); override it to choose them yourself.

        >>> import os, weft
        >>> os.makedirs("one/short"); _ = open("one/short/a.txt", "w").write("hi")
        >>> weft.vision.datasets.DatasetFolder("one", open, (".txt",)).find_classes("one")
        (['short'], {'short': 0})
        """
        return find_classes(directory)

    def __getitem__(self, index):
        path, target = self.samples[index]
        return self._both(self.loader(path), target)

    def __len__(self):
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Pictures root/class/.../name, as images of Pillow's, and the class's number.

    >>> import os, weft
    >>> from PIL import Image
    >>> os.makedirs("pictures/cat"); Image.new("RGB", (4, 2)).save("pictures/cat/a.png")
    >>> data = weft.vision.datasets.ImageFolder("pictures")
    >>> data.classes, data[0][0].size
    (['cat'], (4, 2))
    """

    def __init__(self, root, transform=None, target_transform=None, loader=default_loader, is_valid_file=None,
                 allow_empty=False):
        super().__init__(root, loader, IMG_EXTENSIONS if is_valid_file is None else None, transform, target_transform,
                         is_valid_file, allow_empty)
        self.imgs = self.samples
