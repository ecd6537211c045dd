"""The base of v2's transforms: they take any number of things, nested in any way, and change those that they know."""
import weft
from weft.nn import Module
from weft.utils._pytree import tree_flatten, tree_unflatten
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture
from weft.vision.transforms.v2._kinds import is_pure_tensor
from weft.vision.transforms.v2.functional import get_size
from weft.vision.tv_tensors import BoundingBoxes, Image, KeyPoints, Mask, Video


def check_type(obj, types_or_checks):
    """Whether an object is of one of the types, or passes one of the checks.

    >>> import weft
    >>> weft.vision.transforms.v2.check_type(1, (str, lambda v: v == 1))
    True
    """
    kinds = types_or_checks if isinstance(types_or_checks, (tuple, list)) else (types_or_checks,)
    return any(isinstance(obj, k) if isinstance(k, type) else k(obj) for k in kinds)


def has_any(flat_inputs, *types_or_checks):
    """Whether one of the inputs is of one of the types.

    >>> import weft
    >>> weft.vision.transforms.v2.has_any([1, "a"], str)
    True
    """
    return any(check_type(value, types_or_checks) for value in flat_inputs)


def has_all(flat_inputs, *types_or_checks):
    """Whether for each of the types one of the inputs is of it.

    >>> import weft
    >>> weft.vision.transforms.v2.has_all([1, "a"], str, float)
    False
    """
    return all(any(check_type(value, (kind,)) for value in flat_inputs) for kind in types_or_checks)


PICTURES = (Image, Video, is_pure_tensor, is_picture)


def query_size(flat_inputs):
    """(height, width) of the picture among the inputs.

    >>> import weft
    >>> weft.vision.transforms.v2.query_size([weft.zeros(3, 4, 5), "cat"])
    (4, 5)
    """
    kinds = (*PICTURES, Mask, BoundingBoxes, KeyPoints)
    sizes = {tuple(get_size(value)) for value in flat_inputs if check_type(value, kinds)}
    if not sizes:
        raise TypeError("there is no picture, video, mask, box or point among the inputs")
    if len(sizes) > 1:
        raise ValueError(f"the inputs have different sizes: {sorted(sizes)}\n  fix: give what belongs to one picture")
    return sizes.pop()


def query_chw(flat_inputs):
    """(channels, height, width) of the picture among the inputs.

    >>> import weft
    >>> weft.vision.transforms.v2.query_chw([weft.zeros(3, 4, 5), "cat"])
    (3, 4, 5)
    """
    from weft.vision.transforms.functional import get_dimensions
    sizes = {tuple(get_dimensions(value)) for value in flat_inputs if check_type(value, PICTURES)}
    if len(sizes) != 1:
        raise (ValueError if sizes else TypeError)(f"the inputs have pictures of the sizes {sorted(sizes)}, not of one")
    return sizes.pop()


def _only(flat_inputs, kind, what):
    found = [value for value in flat_inputs if isinstance(value, kind)]
    if len(found) != 1:
        raise ValueError(f"there are {len(found)} {what} among the inputs, not one")
    return found[0]


def get_bounding_boxes(flat_inputs):
    """The boxes among the inputs.

    >>> import weft
    >>> boxes = weft.vision.tv_tensors.BoundingBoxes([[0, 0, 1, 1]], format="XYXY", canvas_size=(4, 4))
    >>> weft.vision.transforms.v2.get_bounding_boxes(["cat", boxes]) is boxes
    True
    """
    return _only(flat_inputs, BoundingBoxes, "BoundingBoxes")


def get_keypoints(flat_inputs):
    """All KeyPoints among the inputs.

    >>> import weft
    >>> weft.vision.transforms.v2.get_keypoints(["cat"])
    []
    """
    return [value for value in flat_inputs if isinstance(value, KeyPoints)]


class Transform(Module):
    """The base of a transform. A subclass has `transform(inpt, params)`, and `make_params(flat_inputs)` if it draws.

    Pictures, videos, boxes, masks and points are changed wherever they stand among the inputs; everything else stays.
    Of plain tensors only the first is a picture, and none if a picture says that it is one.

    >>> import weft
    >>> from weft.vision.transforms import v2
    >>> class Halve(v2.Transform):
    ...     def transform(self, inpt, params):
    ...         return inpt / 2
    >>> Halve()(weft.ones(1, 1, 1), "cat")
    (tensor([[[0.5000]]]), 'cat')
    """

    _transformed_types = (weft.Tensor, is_picture)

    def check_inputs(self, flat_inputs):
        """Raises an error for inputs that can't be changed.

        >>> import weft
        >>> weft.vision.transforms.v2.Identity().check_inputs([])
        """

    def make_params(self, flat_inputs):
        """What is drawn once for all inputs.

        >>> import weft
        >>> weft.vision.transforms.v2.Identity().make_params([])
        {}
        """
        return {}

    def transform(self, inpt, params):
        """One input, changed.

        >>> import weft
        >>> weft.vision.transforms.v2.Identity().transform(1, {})
        1
        """
        raise NotImplementedError(f"{type(self).__name__} has no method transform(inpt, params)")

    def forward(self, *inputs):
        flat, spec = tree_flatten(inputs if len(inputs) > 1 else inputs[0])
        self.check_inputs(flat)
        wanted = self._wanted(flat)
        params = self.make_params([value for value, want in zip(flat, wanted) if want])
        return tree_unflatten([self.transform(value, params) if want else value for value, want in zip(flat, wanted)],
                              spec)

    def _wanted(self, flat):
        plain = not has_any(flat, Image, Video, is_picture)      # whether a plain tensor is a picture
        wanted = []
        for value in flat:
            want = check_type(value, self._transformed_types)
            if want and is_pure_tensor(value):
                want, plain = plain, False
            wanted.append(want)
        return wanted

    def extra_repr(self):
        kept = ((name, value) for name, value in vars(self).items()
                if not name.startswith("_") and name != "training" and isinstance(value, (bool, int, float, str, tuple,
                                                                                          list, weft.dtype)))
        return ", ".join(f"{name}={value}" for name, value in kept)


class Maybe(Transform):
    """A transform that happens with probability p."""

    def __init__(self, p=0.5):
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p is {p}, it must be from 0 to 1")
        self.p = p

    def forward(self, *inputs):
        value = inputs if len(inputs) > 1 else inputs[0]
        flat, spec = tree_flatten(value)
        self.check_inputs(flat)
        if weft.rand(1) >= self.p:
            return value
        wanted = self._wanted(flat)
        params = self.make_params([v for v, want in zip(flat, wanted) if want])
        return tree_unflatten([self.transform(v, params) if want else v for v, want in zip(flat, wanted)], spec)


def wrapped(made, like):
    return tv_tensors.wrap(made, like=like) if isinstance(like, tv_tensors.TVTensor) else made
