"""Images, videos and sounds as summaries."""
import struct
import sys

import numpy as np

from weft.utils.tensorboard import messages as m
from weft.utils.tensorboard.arrays import as_array
from weft.utils.tensorboard.gif import gif
from weft.utils.tensorboard.png import png
from weft.utils.tensorboard.summary import check_tag

RED = (255, 0, 0)


def image(tag, x, dataformats="CHW", rescale=1):
    """One image, or several as a grid of eight in a row."""
    pixels = resize(as_pixels(to_hwc(as_array(x), dataformats)), rescale)
    return _image(tag, pixels)


def _image(tag, pixels):
    return m.summary(m.value(check_tag(tag), m.IMAGE, m.image(png(pixels), *pixels.shape)))


def as_pixels(x):
    """uint8 as it is; other numbers are taken as lying in 0 .. 1. NaN is black."""
    if x.dtype == np.uint8:
        return np.ascontiguousarray(x)
    made = np.empty(x.shape, np.uint8)
    step = max(1, (1 << 18) * len(x) // max(1, x.size))     # rows at a time that stay in the processor's cache
    for start in range(0, len(x), step):
        part = x[start:start + step].astype(np.float32)
        part *= 255
        np.fmax(part, 0, out=part)                          # also of NaN
        made[start:start + step] = np.fmin(part, 255, out=part)
    return made


def to_hwc(x, formats):
    """Any order of dimensions, named by letters such as "NCHW", as (height, width, channels)."""
    letters = formats.upper()
    if len(set(letters)) != len(letters):
        raise AssertionError(f"You can not use the same dimension shorthand twice. input_format: {formats}")
    if set(letters) not in ({*"HW"}, {*"CHW"}, {*"NCHW"}):
        raise AssertionError(f"dataformats is an order of N, C, H and W, such as 'NCHW', 'HWC' or 'HW', got "
                             f"'{formats}'")
    if x.ndim != len(letters):
        raise AssertionError(f"size of input tensor and input format are different. tensor shape: {x.shape}, "
                             f"input_format: {formats}\n  fix: say how the dimensions are ordered with dataformats=, "
                             f"or use add_images for a batch")
    if x.size == 0:
        raise ValueError(f"an image can't be empty, got shape {list(x.shape)}")
    if len(letters) == 2:
        x = x.transpose([letters.index(c) for c in "HW"])[..., None]
    elif len(letters) == 3:
        x = x.transpose([letters.index(c) for c in "HWC"])
    else:
        x = grid(x.transpose([letters.index(c) for c in "NHWC"]))
    if x.shape[2] not in (1, 2, 3, 4):
        raise ValueError(f"an image has 1 to 4 channels, got {x.shape[2]} in a tensor of {formats}\n"
                         f"  fix: give another dataformats=, or choose channels")
    return x.repeat(3, 2) if x.shape[2] == 1 else x


def grid(images, columns=8):
    """(N, H, W, C) images side by side and below each other."""
    n, height, width, channels = images.shape
    columns = min(n, columns)
    rows = -(-n // columns)
    canvas = np.zeros((rows * columns, height, width, channels), images.dtype)
    canvas[:n] = images
    canvas = canvas.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
    return canvas.reshape(rows * height, columns * width, channels)


def resize(pixels, scale):
    """Lanczos resampling, one dimension after the other."""
    if scale == 1:
        return pixels
    if not scale > 0:
        raise ValueError(f"rescale must be positive, got {scale}")
    x = pixels.astype(np.float32)
    for axis in (0, 1):
        size = max(1, int(pixels.shape[axis] * scale))
        x = np.moveaxis(np.tensordot(_lanczos(pixels.shape[axis], size), x, ([1], [axis])), 0, axis)
    return np.round(x).clip(0, 255).astype(np.uint8)


def _lanczos(n_in, n_out):
    """(n_out, n_in) weights; wider than three pixels where the image shrinks."""
    scale = n_in / n_out
    wide = max(scale, 1.0)
    centers = (np.arange(n_out) + 0.5) * scale
    at = (np.arange(n_in) + 0.5 - centers[:, None]) / wide
    weights = np.where(np.abs(at) < 3, np.sinc(at) * np.sinc(at / 3), 0)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


# boxes

def image_boxes(tag, x, boxes, rescale=1, dataformats="CHW", labels=None):
    """An image with red frames: boxes are (N, 4) of xmin, ymin, xmax, ymax."""
    pixels = as_pixels(to_hwc(as_array(x), dataformats)).copy()
    boxes = as_array(boxes)
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"add_image_with_boxes('{tag}'): boxes are (N, 4): xmin, ymin, xmax, ymax; got shape "
                         f"{list(boxes.shape)}")
    for i, box in enumerate(boxes.tolist()):
        draw_box(pixels, box)
        if labels is not None and labels[i]:
            draw_label(pixels, box, str(labels[i]))
    return _image(tag, resize(pixels, rescale))


def draw_box(pixels, box, thickness=2):
    """A frame, as far as it lies inside the image."""
    height, width, channels = pixels.shape
    left, top, right, bottom = (int(round(v)) for v in box)
    color = (*RED, 255)[:channels] if channels > 2 else (255, 255)[:channels]
    for x0, y0, x1, y1 in ((left, top, right, top), (left, bottom, right, bottom), (left, top, left, bottom),
                           (right, top, right, bottom)):
        x0, x1 = max(0, x0 - thickness // 2), min(width, x1 + thickness - thickness // 2)
        y0, y1 = max(0, y0 - thickness // 2), min(height, y1 + thickness - thickness // 2)
        if x0 < x1 and y0 < y1:
            pixels[y0:y1, x0:x1] = color


def draw_label(pixels, box, label):
    """Black letters on red at the lower left corner."""
    try:
        # an extra
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError("labels on boxes need Pillow: pip install pillow") from None
    picture = Image.fromarray(pixels)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default()
    x0, y0, x1, y1 = font.getbbox(label)
    left, bottom = box[0], box[3]
    draw.rectangle([left, bottom - (y1 - y0) - 2, left + (x1 - x0) + 2, bottom], fill=RED)
    draw.text((left + 1, bottom - (y1 - y0) - 1 - y0), label, fill=(0, 0, 0), font=font)
    pixels[:] = np.asarray(picture)


# figures, videos, sounds

def figures_to_arrays(figures, close=True):
    """matplotlib's figures as (C, H, W), or (N, C, H, W) for a list of them."""
    try:
        # an extra
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError:
        raise ImportError("figures need matplotlib: pip install matplotlib") from None
    arrays = []
    for figure in figures if isinstance(figures, list) else [figures]:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        arrays.append(np.asarray(canvas.buffer_rgba())[:, :, :3].transpose(2, 0, 1).copy())
        if close and "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close(figure)
    return np.stack(arrays) if isinstance(figures, list) else arrays[0]


def video(tag, x, fps=4):
    """An animated picture; several videos stand side by side."""
    x = as_array(x)
    if x.ndim != 5 or x.shape[2] not in (1, 3):
        raise ValueError(f"add_video('{tag}'): a video is (N, T, C, H, W) with 1 or 3 channels, got shape "
                         f"{list(x.shape)}")
    if x.size == 0:
        raise ValueError(f"add_video('{tag}'): a video can't be empty, got shape {list(x.shape)}")
    if not fps > 0:
        raise ValueError(f"add_video('{tag}'): fps must be positive, got {fps}")
    n = x.shape[0]
    rows = 2 ** ((n.bit_length() - 1) // 2)
    frames = as_pixels(np.stack([grid(x[:, t].transpose(0, 2, 3, 1), -(-n // rows)) for t in range(x.shape[1])]))
    frames = frames.repeat(3, 3) if frames.shape[3] == 1 else frames
    return m.summary(m.value(check_tag(tag), m.IMAGE, m.image(gif(frames, fps), *frames.shape[1:])))


def audio(tag, x, sample_rate=44100):
    """A sound: one channel of samples in -1 .. 1."""
    samples = as_array(x).squeeze()
    samples = samples.reshape(-1) if samples.ndim == 0 else samples
    if samples.ndim != 1 or samples.size == 0:
        raise AssertionError(f"add_audio('{tag}'): input tensor should be 1 dimensional, got shape "
                             f"{list(as_array(x).shape)}")
    samples = np.nan_to_num(samples.astype(np.float32), nan=0.0)
    if np.abs(samples).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
    content = (samples.clip(-1, 1) * 32767).astype("<i2").tobytes()
    return m.summary(m.value(check_tag(tag), m.AUDIO, m.audio(wav(content, int(sample_rate)), sample_rate,
                                                              samples.size)))


def wav(content, rate):
    """A WAV file of 16-bit samples, one channel."""
    return (b"RIFF" + struct.pack("<I", 36 + len(content)) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16)
            + b"data" + struct.pack("<I", len(content)) + content)
