"""The files of TensorBoard's projector: vectors, labels, pictures of them, and the configuration that names them."""
import json
import os

import numpy as np

from weft.utils.tensorboard.media import as_pixels, grid
from weft.utils.tensorboard.png import png


def check(mat, metadata, images, header):
    """Refuse before anything is written."""
    if mat.ndim != 2:
        raise AssertionError(f"mat should be 2D, where mat.size(0) is the number of data points, got shape "
                             f"{list(mat.shape)}")
    if metadata is not None and len(metadata) != len(mat):
        raise AssertionError(f"#labels should equal with #data points: {len(metadata)} labels, {len(mat)} points")
    if images is not None and (images.ndim != 4 or images.shape[1] not in (1, 3)):
        raise AssertionError(f"label_img is (N, C, H, W) with 1 or 3 channels, got shape {list(images.shape)}")
    if images is not None and len(images) != len(mat):
        raise AssertionError(f"#images should equal with #data points: {len(images)} images, {len(mat)} points")
    if header and any(len(row) != len(header) for row in metadata or ()):
        raise AssertionError(f"len of header must be equal to the number of columns in metadata: {len(header)} headers")


def write(folder, mat, metadata, images, header):
    """Write the files of one embedding."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "tensors.tsv"), "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(repr, row)) + "\n" for row in mat.astype(np.float64).tolist())
    if metadata is not None:
        rows = [list(header), *metadata] if header else [(label,) for label in metadata]
        with open(os.path.join(folder, "metadata.tsv"), "w", encoding="utf-8") as file:
            file.writelines("\t".join(_cell(c) for c in row) + "\n" for row in rows)
    if images is not None:
        with open(os.path.join(folder, "sprite.png"), "wb") as file:
            file.write(png(sprite(images)))


def _cell(value):
    return str(value).replace("\t", " ").replace("\n", " ")


def sprite(images):
    """(N, C, H, W) pictures on one square sheet of them."""
    images = as_pixels(images.transpose(0, 2, 3, 1))
    images = images.repeat(3, 3) if images.shape[3] == 1 else images
    n, height, width, _ = images.shape
    side = int(np.ceil(np.sqrt(n)))
    full = np.zeros((side * side, height, width, 3), np.uint8)
    full[:n] = images
    return grid(full, side)


def entry(tag, step, folder, metadata, images):
    """One embedding in the configuration, in protobuf's text form."""
    lines = [f"  tensor_name: {json.dumps(f'{tag}:{step}')}"]
    if metadata is not None:
        lines.append(f"  metadata_path: {json.dumps(folder + '/metadata.tsv')}")
    if images is not None:
        lines.append(f"  sprite {{\n    image_path: {json.dumps(folder + '/sprite.png')}\n"
                     f"    single_image_dim: {images.shape[3]}\n    single_image_dim: {images.shape[2]}\n  }}")
    lines.append(f"  tensor_path: {json.dumps(folder + '/tensors.tsv')}")
    return "embeddings {\n" + "\n".join(lines) + "\n}\n"


def encoded(name):
    """A tag as the name of a folder."""
    return "".join(f"%{ord(c):02x}" if c in "%/\\" else c for c in name)
