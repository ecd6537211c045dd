"""What TensorBoard shows, as encoded summaries: scalars, histograms, text, tensors, curves, hyperparameters, charts,
meshes.
"""
import json

import numpy as np

from weft.utils.tensorboard import messages as m
from weft.utils.tensorboard.arrays import as_array, as_number
from weft.utils.tensorboard.wire import data, double, doubles, integer, integers, text


def default_bins():
    """TensorFlow's histogram limits: growing by a tenth from 1e-12 to 1e20, on both sides of 0."""
    limits, v = [], 1e-12
    while v < 1e20:
        limits.append(v)
        v *= 1.1
    return [-v for v in reversed(limits)] + [0] + limits


def check_tag(tag):
    if not isinstance(tag, str):
        raise TypeError(f"a tag is a str, got {type(tag).__name__}")
    return tag


def scalar(tag, number, new_style=False, double_precision=False):
    """One number; NaN and inf are shown as such."""
    number = as_number(number, f"add_scalar('{check_tag(tag)}')")
    if not new_style:
        return m.summary(m.value(tag, m.NUMBER, number))
    with np.errstate(over="ignore"):
        array = np.asarray(number, np.float64 if double_precision else np.float32)
    return m.summary(m.value(tag, m.TENSOR, m.tensor(array), m.metadata("scalars")))


def tensor(tag, x):
    """A whole tensor."""
    array = as_array(x)
    if array.nbytes >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    if array.dtype.name not in m.TYPES:
        raise ValueError(f"{check_tag(tag)} has unsupported tensor dtype {getattr(x, 'dtype', array.dtype)}")
    return m.summary(m.value(tag, m.TENSOR, m.tensor(array), m.metadata("tensor")))


# histograms

def histogram_raw(tag, low, high, num, total, squares, limits, counts):
    """A histogram that was counted elsewhere."""
    made = b"".join(double(i, float(as_number(v, "add_histogram_raw")))
                    for i, v in enumerate((low, high, num, total, squares), 1))
    return m.summary(m.value(check_tag(tag), m.HISTOGRAM, made + doubles(6, as_array(limits))
                             + doubles(7, as_array(counts))))


def histogram(tag, values, bins, max_bins=None):
    """The histogram of the finite values."""
    values = as_array(values)
    values = np.abs(values) if values.dtype.kind == "c" else values
    values = values.astype(np.float64).reshape(-1)
    if values.size == 0:
        raise ValueError("The input has no element.")
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        raise ValueError(f"add_histogram('{tag}'): all {values.size} values are NaN or inf\n"
                         f"  fix: find where they come from (weft.check_numerics()), or skip the histogram of this "
                         f"step")
    counts, limits = np.histogram(finite, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = _coarser(counts, limits, max_bins)
    counts, limits = _trimmed(counts, limits)
    return histogram_raw(tag, finite.min(), finite.max(), finite.size, finite.sum(), finite.dot(finite), limits, counts)


def _coarser(counts, limits, most):
    """Neighbouring bins joined, so that there are at most about `most`."""
    step = len(counts) // most
    starts = np.arange(0, len(counts), step)
    return np.add.reduceat(counts, starts), np.append(limits[starts], limits[-1])


def _trimmed(counts, limits):
    """Without the empty bins at both ends, save one in front: (counts, right limits), as TensorBoard reads them."""
    filled = np.flatnonzero(counts)
    if filled.size == 0:        # everything lies outside of the given bins
        return counts, limits[1:]
    start, end = filled[0], filled[-1] + 1
    front = counts[start - 1:start] if start > 0 else np.zeros(1, counts.dtype)
    return np.concatenate([front, counts[start:end]]), limits[start:end + 1]


# text, curves, charts

def words(tag, string):
    """Markdown."""
    if not isinstance(string, str):
        raise TypeError(f"add_text('{check_tag(tag)}'): expected a str, got {type(string).__name__}")
    about = m.metadata("text", integer(1, 0))
    return m.summary(m.value(check_tag(tag) + "/text_summary", m.TENSOR, m.strings([string.encode()], (1,)), about))


MOST_THRESHOLDS = 127


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """Precision and recall at evenly spaced thresholds."""
    labels, predictions = (as_array(labels).astype(np.float64).reshape(-1),
                           as_array(predictions).astype(np.float64).reshape(-1))
    if labels.shape != predictions.shape:
        raise ValueError(f"add_pr_curve('{tag}'): {labels.size} labels, but {predictions.size} predictions")
    if predictions.size and not (predictions.min() >= 0 and predictions.max() <= 1):
        raise ValueError(f"add_pr_curve('{tag}'): predictions are probabilities, but these go from {predictions.min()} "
                         f"to {predictions.max()}\n  fix: apply sigmoid or softmax first")
    weights = 1.0 if weights is None else as_array(weights).astype(np.float64).reshape(-1)
    n = min(num_thresholds, MOST_THRESHOLDS)
    bucket = np.floor(predictions * (n - 1)).astype(np.int64)
    right = np.bincount(bucket, labels * weights, n)
    wrong = np.bincount(bucket, (1 - labels) * weights, n)
    tp, fp = right[::-1].cumsum()[::-1], wrong[::-1].cumsum()[::-1]     # what is at or above each threshold
    tn, fn = fp[0] - fp, tp[0] - tp
    return pr_curve_raw(tag, tp, fp, tn, fn, tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn), n)


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    """A curve that was computed elsewhere."""
    rows = [as_array(v).reshape(-1) for v in (tp, fp, tn, fn, precision, recall)]
    if len({row.size for row in rows}) != 1:
        raise ValueError(f"add_pr_curve_raw('{tag}'): counts, precision and recall have different lengths: "
                         f"{[row.size for row in rows]}")
    about = m.metadata("pr_curves", integer(1, 0) + integer(2, min(num_thresholds, MOST_THRESHOLDS)))
    return m.summary(m.value(check_tag(tag), m.TENSOR, m.tensor(np.stack(rows).astype(np.float32)), about))


def custom_scalars(layout):
    """The layout of charts: {category: {title: ["Multiline" or "Margin", tags]}}."""
    categories = []
    for category, charts in layout.items():
        made = b"".join(data(2, _chart(title, *chart)) for title, chart in charts.items())
        categories.append(data(2, text(1, category) + made))
    content = m.strings([b"".join(categories)], ())
    return m.summary(m.value("custom_scalars__config__", m.TENSOR, content, m.metadata("custom_scalars")))


def _chart(title, kind, tags):
    if kind == "Margin":
        if len(tags) != 3:
            raise AssertionError(f"the margin chart '{title}' takes 3 tags (value, lower, upper), got {len(tags)}")
        return text(1, title) + data(3, data(1, b"".join(text(i, tag) for i, tag in enumerate(tags, 1))))
    return text(1, title) + data(2, b"".join(text(1, tag) for tag in tags))


# hyperparameters

STRING, BOOL, NUMBER = 1, 2, 3      # DataType


def hparams(hparam_dict, metric_dict, hparam_domain_discrete=None):
    """Three summaries: the experiment, the start and the end of the session."""
    if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
        raise TypeError("hparam_dict and metric_dict should be dictionary.")
    domains = hparam_domain_discrete or {}
    if not isinstance(domains, dict):
        raise TypeError("parameter: hparam_domain_discrete should be a dictionary, nothing logged.")
    for key, choices in domains.items():
        if (key not in hparam_dict or not isinstance(choices, list) or not all(isinstance(c, type(hparam_dict[key]))
                                                                               for c in choices)):
            raise TypeError(f"parameter: hparam_domain_discrete[{key}] should be a list of same type as "
                            f"hparam_dict[{key}].")
    infos, start = b"", b""
    for key, given in hparam_dict.items():
        if given is not None:
            kind, content = _setting(key, given)
            start += data(1, text(1, key) + data(2, content))
            choices = b"".join(data(1, _setting(key, c)[1]) for c in domains.get(key, ()))
            infos += data(4, text(1, key) + integer(4, kind) + (data(5, choices) if key in domains else b""))
    metrics = b"".join(data(5, data(1, text(2, key))) for key in metric_dict)
    return (_session("experiment", data(2, infos + metrics)), _session("session_start_info", data(3, start)),
            _session("session_end_info", data(4, integer(1, 1))))       # STATUS_SUCCESS


def _setting(key, given):
    """(kind, google.protobuf.Value) of one hyperparameter."""
    if isinstance(given, (bool, np.bool_)):
        return BOOL, integer(4, given)
    if isinstance(given, str):
        return STRING, text(3, given)
    try:
        return NUMBER, double(2, as_number(given, "add_hparams"))
    except (NotImplementedError, TypeError, AssertionError):
        raise ValueError(f"add_hparams(): the value of '{key}' should be one of int, float, str, bool, or torch.Tensor "
                         f"of one element, got {type(given).__name__}\n  fix: give str({key}) for anything "
                         f"else") from None


def _session(name, content):
    return m.summary(m.value("_hparams_/" + name, None, None, m.metadata("hparams", integer(1, 0) + content)))


# meshes

PARTS = (("VERTEX", 1), ("FACE", 2), ("COLOR", 3))


def mesh(tag, vertices, colors, faces, config_dict=None, display_name=None, description=None):
    """Points, or triangles, in space: (batch, points, 3) each."""
    given = [(name, kind, as_array(x)) for (name, kind), x in zip(PARTS, (vertices, faces, colors)) if x is not None]
    for name, _, array in given:
        if array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(f"add_mesh('{tag}'): {name.lower()} data: Tensor shape should be of shape BxNx3, but got "
                             f"{list(array.shape)}")
    components = sum(1 << kind for _, kind, _ in given)
    config = json.dumps(config_dict, sort_keys=True) if config_dict is not None else "{}"
    values = []
    for name, kind, array in given:
        about = (integer(1, 0) + text(2, tag) + integer(3, kind) + text(5, config) + integers(6, array.shape)
                 + integer(7, components))
        values.append(m.value(f"{tag}_{name}", m.TENSOR, m.tensor(array.astype(np.float32)),
                              m.metadata("mesh", about, display_name, description)))
    return m.summary(*values)
