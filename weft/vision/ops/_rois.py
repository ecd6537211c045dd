"""Arguments of the ops on regions."""
import weft


def pair(size):
    return (size, size) if isinstance(size, int) else tuple(size)


def as_rois(boxes):
    """(K, 5): the picture's index and the corners."""
    if isinstance(boxes, (list, tuple)):
        for each in boxes:
            if each.ndim != 2 or each.shape[1] != 4:
                raise ValueError(f"boxes: a list holds (L, 4) for each picture, not {tuple(each.shape)}")
        index = [weft.full_like(each[:, :1], i) for i, each in enumerate(boxes)]
        return weft.cat([weft.cat(index, 0), weft.cat(list(boxes), 0)], 1)
    if boxes.ndim != 2 or boxes.shape[1] != 5:
        raise ValueError(f"boxes have the shape (K, 5), the picture's index first, not {tuple(boxes.shape)}")
    return boxes
