"""Pictures with annotations: Pascal VOC and COCO."""
import json
import os
from xml.etree import ElementTree

from weft.vision._pillow import pillow
from weft.vision.datasets.utils import extract_archive, fetch
from weft.vision.datasets.vision import VisionDataset, not_found

__all__ = ["VOCSegmentation", "VOCDetection", "CocoDetection", "CocoCaptions"]


# what is fetched for a year: (name, checksum)
VOC = {"2012": ("VOCtrainval_11-May-2012.tar", "6cd6e144f989b92b3379bac3b3de84fd"),
       "2011": ("VOCtrainval_25-May-2011.tar", "6c3384ef61512963050cb5d687e5bf1e"),
       "2010": ("VOCtrainval_03-May-2010.tar", "da459979d0c395079b5c75ee67908abb"),
       "2009": ("VOCtrainval_11-May-2009.tar", "a3e00b113cfcfebf17e343f59da3caa1"),
       "2008": ("VOCtrainval_14-Jul-2008.tar", "2629fa636546599198acfcfbfcf1904a"),
       "2007": ("VOCtrainval_06-Nov-2007.tar", "c52e279531787c972589f7e41ab4ae64"),
       "2007-test": ("VOCtest_06-Nov-2007.tar", "b6e924de25625d8de591ea690078ad9f")}


class _VOC(VisionDataset):
    """root/VOCdevkit/VOC<year> with JPEGImages, ImageSets and the annotations, or VOC's archive in root."""

    _kind, _folder, _end = "", "", ""

    def __init__(self, root, year="2012", image_set="train", download=False, transform=None, target_transform=None,
                 transforms=None):
        super().__init__(root, transforms, transform, target_transform)
        allowed = ["train", "trainval", "val"] + (["test"] if year == "2007" else [])
        if year not in [str(y) for y in range(2007, 2013)]:
            raise ValueError(f"there is no VOC of {year!r}\n  fix: take '2007' to '2012'")
        if image_set not in allowed:
            raise ValueError(f"there is no image_set {image_set!r}\n  fix: take one of {', '.join(allowed)}")
        self.year, self.image_set = year, image_set
        name = "VOCdevkit" if year != "2011" else os.path.join("TrainVal", "VOCdevkit")
        folder = os.path.join(self.root, name, f"VOC{year}")
        if not os.path.isdir(folder):
            if download:
                fetch([self._source(year, image_set)], self.root)
            for archive in sorted(os.listdir(self.root)) if os.path.isdir(self.root) else ():
                if archive.startswith("VOC") and archive.endswith(".tar") and year in archive:
                    extract_archive(os.path.join(self.root, archive), self.root)
        listed = os.path.join(folder, "ImageSets", self._kind, image_set + ".txt")
        if not os.path.isfile(listed):
            raise not_found(type(self).__name__, self.root, os.path.join(name, f"VOC{year}"), download)
        with open(listed) as file:
            names = [line.strip() for line in file if line.strip()]
        self.images = [os.path.join(folder, "JPEGImages", n + ".jpg") for n in names]
        self.targets = [os.path.join(folder, self._folder, n + self._end) for n in names]

    @staticmethod
    def _source(year, image_set):
        name, md5 = VOC["2007-test" if image_set == "test" else year]
        return [f"https://thor.robots.ox.ac.uk/pascal/VOC/voc{year}/{name}"], name, md5

    def __len__(self):
        return len(self.images)


class VOCSegmentation(_VOC):
    """Pascal VOC: pictures and the class of every pixel, both as images of Pillow's.

    >>> import weft
    >>> issubclass(weft.vision.datasets.VOCSegmentation, weft.vision.datasets.VisionDataset)
    True
    """

    _kind, _folder, _end = "Segmentation", "SegmentationClass", ".png"

    @property
    def masks(self):
        """The paths of the masks.

        >>> import weft
        >>> type(weft.vision.datasets.VOCSegmentation.masks).__name__
        'property'
        """
        return self.targets

    def __getitem__(self, index):
        return self._both(pillow().open(self.images[index]).convert("RGB"), pillow().open(self.targets[index]))


class VOCDetection(_VOC):
    """Pascal VOC: pictures, as images of Pillow's, and what is in them, as a dict of the XML file.

    >>> import weft
    >>> from xml.etree import ElementTree
    >>> tree = ElementTree.fromstring("<a><object><name>cat</name></object></a>")
    >>> weft.vision.datasets.VOCDetection.parse_voc_xml(tree)
    {'a': {'object': [{'name': 'cat'}]}}
    """

    _kind, _folder, _end = "Main", "Annotations", ".xml"

    @property
    def annotations(self):
        """The paths of the XML files.

        >>> import weft
        >>> type(weft.vision.datasets.VOCDetection.annotations).__name__
        'property'
        """
        return self.targets

    def __getitem__(self, index):
        with open(self.targets[index], encoding="utf-8") as file:
            text = file.read()
        if "<!DOCTYPE" in text or "<!ENTITY" in text:      # no annotation needs them, and entities may grow without end
            raise RuntimeError(f"{self.targets[index]} declares entities, which an annotation doesn't need")
        target = self.parse_voc_xml(ElementTree.fromstring(text))
        return self._both(pillow().open(self.images[index]).convert("RGB"), target)

    @staticmethod
    def parse_voc_xml(node):
        """An XML tree as a dict.

        >>> import weft
        >>> from xml.etree import ElementTree
        >>> weft.vision.datasets.VOCDetection.parse_voc_xml(ElementTree.fromstring("<a><b>1</b></a>"))
        {'a': {'b': '1'}}
        """
        children = list(node)
        if not children:
            return {node.tag: (node.text or "").strip()}
        gathered = {}
        for part in map(VOCDetection.parse_voc_xml, children):
            for key, value in part.items():
                gathered.setdefault(key, []).append(value)
        made = {key: values[0] if len(values) == 1 else values for key, values in gathered.items()}
        if "object" in gathered:
            made["object"] = gathered["object"]
        return {node.tag: made}


class CocoDetection(VisionDataset):
    """COCO: pictures below root, as images of Pillow's, and the annotations of each, as in annFile's JSON.

    >>> import json, os, weft
    >>> from PIL import Image
    >>> os.makedirs("coco"); Image.new("RGB", (4, 2)).save("coco/a.jpg")
    >>> with open("ann.json", "w") as file:
    ...     json.dump({"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": [{"id": 5, "image_id": 1}]}, file)
    >>> weft.vision.datasets.CocoDetection("coco", "ann.json")[0][1]
    [{'id': 5, 'image_id': 1}]
    """

    def __init__(self, root, annFile, transform=None, target_transform=None, transforms=None):
        super().__init__(root, transforms, transform, target_transform)
        with open(annFile) as file:
            loaded = json.load(file)
        self.images = {image["id"]: image for image in loaded["images"]}
        self.categories = {category["id"]: category for category in loaded.get("categories", ())}
        self._annotations = {}
        for annotation in loaded.get("annotations", ()):
            self._annotations.setdefault(annotation["image_id"], []).append(annotation)
        self.ids = sorted(self.images)

    def _target(self, key):
        return self._annotations.get(key, [])

    def __getitem__(self, index):
        if not isinstance(index, int):
            raise ValueError(f"Index must be of type integer, got {type(index)} instead.")
        key = self.ids[index]
        picture = pillow().open(os.path.join(self.root, self.images[key]["file_name"])).convert("RGB")
        return self._both(picture, self._target(key))

    def __len__(self):
        return len(self.ids)


class CocoCaptions(CocoDetection):
    """COCO: pictures below root, as images of Pillow's, and the captions of each.

    >>> import json, os, weft
    >>> from PIL import Image
    >>> os.makedirs("captions"); Image.new("RGB", (4, 2)).save("captions/a.jpg")
    >>> with open("captions.json", "w") as file:
    ...     json.dump({"images": [{"id": 1, "file_name": "a.jpg"}],
    ...                "annotations": [{"id": 5, "image_id": 1, "caption": "a cat"}]}, file)
    >>> weft.vision.datasets.CocoCaptions("captions", "captions.json")[0][1]
    ['a cat']
    """

    def _target(self, key):
        return [annotation["caption"] for annotation in super()._target(key)]
