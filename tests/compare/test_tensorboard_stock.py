"""The stock tensorboard package reads back every kind of event that weft writes, and finds the same as in PyTorch's."""
import io
import os

import numpy as np
import pytest

import weft
from weft import nn
from weft.utils.tensorboard import SummaryWriter

pytest.importorskip("tensorboard")
from tensorboard.backend.event_processing import event_accumulator, event_file_loader, plugin_event_accumulator  # noqa: E402
from tensorboard.compat.proto import event_pb2, graph_pb2  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402

EVERYTHING = dict.fromkeys(("scalars", "images", "audio", "histograms", "compressedHistograms", "tensors"), 0)


def events_in(folder):
    """All raw events below a folder, each parsed by the stock protobuf classes."""
    found = []
    for place, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if "tfevents" in name:
                found += event_file_loader.LegacyEventFileLoader(os.path.join(place, name)).Load()
    return found


def values_in(folder):
    return {value.tag: value for event in events_in(folder) for value in event.summary.value}


def old_style(folder):
    read = event_accumulator.EventAccumulator(str(folder), size_guidance=EVERYTHING)
    read.Reload()
    return read


def new_style(folder):
    read = plugin_event_accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0})
    read.Reload()
    return read


def test_scalars(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step, number in enumerate((1.0, weft.tensor(2.5), np.float64(3), float("nan"), float("inf"), 1e300,
                                       weft.tensor([[7]]))):
            writer.add_scalar("loss", number, step, walltime=100 + step)
        writer.add_scalar("new", 0.1, 5, new_style=True)
        writer.add_scalar("precise", 0.1, 6, new_style=True, double_precision=True)
        writer.add_scalar("stepless", 1)
    read = old_style(tmp_path)
    assert {"loss", "stepless"} <= set(read.Tags()["scalars"])
    scalars = read.Scalars("loss")
    assert [s.step for s in scalars] == list(range(7)) and [s.wall_time for s in scalars] == [100 + i for i in range(7)]
    np.testing.assert_array_equal([s.value for s in scalars], np.array([1, 2.5, 3, np.nan, np.inf, np.inf, 7],
                                                                       np.float32))
    read = new_style(tmp_path)
    assert set(read.PluginTagToContent("scalars")) == {"loss", "stepless", "new", "precise"}
    assert tensor_util.make_ndarray(read.Tensors("new")[0].tensor_proto).item() == np.float32(0.1)
    assert tensor_util.make_ndarray(read.Tensors("precise")[0].tensor_proto).item() == 0.1


def test_several_scalars(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_scalars("run/curves", {"sin": np.sin(step), "cos": weft.tensor(float(np.cos(step)))}, step)
    assert [s.value for s in old_style(tmp_path
                                       / "run_curves_sin").Scalars("run/curves")] == pytest.approx(np.sin([0, 1, 2]))
    assert [s.value for s in old_style(tmp_path
                                       / "run_curves_cos").Scalars("run/curves")] == pytest.approx(np.cos([0, 1, 2]))


def torch_writer(folder):
    return pytest.importorskip("torch.utils.tensorboard").SummaryWriter(str(folder))


@pytest.mark.parametrize("options", [{}, {"bins": "auto"}, {"bins": "fd"}, {"max_bins": 5}, {"bins": [0, 1, 2, 3]},
                                     {"bins": 7, "max_bins": 3}])
def test_histograms_as_torch(tmp_path, options):
    values = np.random.default_rng(0).normal(1, 2, 500)
    theirs = torch_writer(tmp_path / "torch")
    theirs.add_histogram("h", values, 3, **options)
    theirs.close()
    with SummaryWriter(tmp_path / "weft") as writer:
        writer.add_histogram("h", weft.tensor(values), 3, **options)
    ours, want = (values_in(tmp_path / who)["h"].histo for who in ("weft", "torch"))
    for field in ("min", "max", "num", "sum", "sum_squares", "bucket_limit", "bucket"):
        np.testing.assert_allclose(getattr(ours, field), getattr(want, field), rtol=1e-12)
    assert old_style(tmp_path / "weft").Histograms("h")[0].step == 3
    assert new_style(tmp_path / "weft").PluginTagToContent("histograms")


def test_raw_histogram(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram_raw("raw", 0, 4, 10, 20.0, 50, [1, 2, 4], [3, 3, 4], 7)
    (event,) = old_style(tmp_path).Histograms("raw")
    value = event.histogram_value
    assert (event.step, value.min, value.max, value.num, value.sum, value.sum_squares) == (7, 0, 4, 10, 20, 50)
    assert list(value.bucket_limit) == [1, 2, 4] and list(value.bucket) == [3, 3, 4]


def pixels(value):
    from PIL import Image
    return np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string)))


IMAGES = [("CHW", (3, 5, 7)), ("HWC", (5, 7, 3)), ("HW", (5, 7)), ("WH", (7, 5)), ("CHW", (1, 5, 7)),
          ("HWC", (5, 7, 4)), ("NCHW", (11, 3, 4, 5)), ("NHWC", (3, 4, 5, 1))]


@pytest.mark.parametrize("formats, shape", IMAGES)
@pytest.mark.parametrize("kind", [np.float32, np.uint8])
def test_images_as_torch(tmp_path, formats, shape, kind):
    pytest.importorskip("PIL")
    image = (np.random.default_rng(1).uniform(-0.2, 1.2, shape) if kind is np.float32
             else np.random.default_rng(1).integers(0, 256, shape))
    image = image.astype(kind)
    theirs = torch_writer(tmp_path / "torch")
    theirs.add_image("i", image, 2, dataformats=formats)
    theirs.close()
    with SummaryWriter(tmp_path / "weft") as writer:
        (writer.add_images if len(formats) == 4 else writer.add_image)("i", weft.tensor(image), 2, dataformats=formats)
    ours, want = (values_in(tmp_path / who)["i"] for who in ("weft", "torch"))
    np.testing.assert_array_equal(pixels(ours), pixels(want))
    assert (ours.image.height, ours.image.width, ours.image.colorspace) == (want.image.height, want.image.width,
                                                                            want.image.colorspace)
    (event,) = old_style(tmp_path / "weft").Images("i")
    assert event.step == 2


def test_boxes(tmp_path):
    pytest.importorskip("PIL")
    image = np.zeros((3, 40, 60), np.uint8)
    boxes = np.array([[5, 10, 30, 20], [-5, 25, 80, 38]])
    with SummaryWriter(tmp_path) as writer:
        writer.add_image_with_boxes("plain", image, weft.tensor(boxes))
        writer.add_image_with_boxes("named", image, boxes, labels=["cat", "dog"], rescale=2)
    found = values_in(tmp_path)
    plain = pixels(found["plain"])
    assert plain.shape == (40, 60, 3) and tuple(plain[10, 15]) == (255, 0, 0) and tuple(plain[15, 15]) == (0, 0, 0)
    assert tuple(plain[25, 0]) == (255, 0, 0)
    assert pixels(found["named"]).shape == (80, 120, 3)


def test_figure(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = pyplot.figure(figsize=(2, 1), dpi=50)
    figure.gca().plot([1, 2])
    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("f", figure)
    assert pixels(values_in(tmp_path)["f"]).shape == (50, 100, 3)


def test_video(tmp_path):
    pil = pytest.importorskip("PIL.Image")
    video = np.random.default_rng(0).integers(0, 2, (3, 6, 3, 8, 10)).astype(np.float32)
    with SummaryWriter(tmp_path) as writer:
        writer.add_video("v", weft.tensor(video), 1, fps=5)
    (event,) = old_style(tmp_path).Images("v")
    read = pil.open(io.BytesIO(event.encoded_image_string))
    assert read.n_frames == 6 and read.info["duration"] == 200 and read.size == (event.width, event.height) == (30, 8)
    read.seek(4)
    np.testing.assert_array_equal(np.asarray(read.convert("RGB"))[:, :10], video[0, 4].transpose(1, 2, 0) * 255)


def test_audio(tmp_path, capsys):
    import wave
    sound = np.sin(np.arange(200) / 7).astype(np.float32)
    with SummaryWriter(tmp_path) as writer:
        writer.add_audio("a", weft.tensor(sound)[None], 4, sample_rate=8000)
        writer.add_audio("loud", sound * 3)
    assert "clipped" in capsys.readouterr().out
    (event,) = old_style(tmp_path).Audio("a")
    assert (event.step, event.sample_rate, event.length_frames, event.content_type) == (4, 8000, 200, "audio/wav")
    read = wave.open(io.BytesIO(event.encoded_audio_string))
    assert (read.getnchannels(), read.getframerate(), read.getnframes()) == (1, 8000, 200)
    np.testing.assert_array_equal(np.frombuffer(read.readframes(200), "<i2"), (sound * 32767).astype("<i2"))


def test_text(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("note", "# Überschrift\n| a | b |", 1)
    read = new_style(tmp_path)
    assert set(read.PluginTagToContent("text")) == {"note/text_summary"}
    assert tensor_util.make_ndarray(read.Tensors("note/text_summary")[0].tensor_proto)[0].decode() == "# Überschrift\n| a | b |"


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64", "bool",
                                  "complex64"])
def test_tensors(tmp_path, kind):
    array = (np.arange(6).reshape(2, 3) % 4 - (kind[0] not in "ub")).astype(kind)
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("t", weft.tensor(array), 3)
    read = new_style(tmp_path)
    assert set(read.PluginTagToContent("tensor")) == {"t"}
    made = tensor_util.make_ndarray(read.Tensors("t")[0].tensor_proto)
    assert made.dtype == array.dtype
    np.testing.assert_array_equal(made, array)


@pytest.mark.parametrize("thresholds", [5, 127, 300])
def test_pr_curves_as_torch(tmp_path, thresholds):
    rng = np.random.default_rng(0)
    labels, predictions = rng.integers(0, 2, 100), rng.uniform(0, 1, 100)
    theirs = torch_writer(tmp_path / "torch")
    theirs.add_pr_curve("pr", labels, predictions, 1, num_thresholds=thresholds)
    theirs.close()
    with SummaryWriter(tmp_path / "weft") as writer:
        writer.add_pr_curve("pr", weft.tensor(labels), weft.tensor(predictions), 1, num_thresholds=thresholds)
    ours, want = (values_in(tmp_path / who)["pr"] for who in ("weft", "torch"))
    np.testing.assert_allclose(tensor_util.make_ndarray(ours.tensor), tensor_util.make_ndarray(want.tensor))
    from tensorboard.plugins.pr_curve import metadata
    content = new_style(tmp_path / "weft").PluginTagToContent("pr_curves")["pr"]
    assert metadata.parse_plugin_metadata(content).num_thresholds == min(thresholds, 127)


def test_raw_pr_curve(tmp_path):
    rows = np.arange(24.0).reshape(6, 4)
    with SummaryWriter(tmp_path) as writer:
        writer.add_pr_curve_raw("pr", *rows, 1, num_thresholds=4)
    np.testing.assert_array_equal(tensor_util.make_ndarray(new_style(tmp_path).Tensors("pr")[0].tensor_proto), rows)


def test_custom_scalars(tmp_path):
    from tensorboard.plugins.custom_scalar import layout_pb2
    with SummaryWriter(tmp_path) as writer:
        writer.add_custom_scalars({"Losses": {"both": ["Multiline", ["train", "test"]],
                                              "band": ["Margin", ["a", "b", "c"]]}})
    (event,) = new_style(tmp_path).Tensors("custom_scalars__config__")
    (category,) = layout_pb2.Layout.FromString(tensor_util.make_ndarray(event.tensor_proto).item()).category
    both, band = category.chart
    assert (category.title, both.title, list(both.multiline.tag)) == ("Losses", "both", ["train", "test"])
    (series,) = band.margin.series
    assert (series.value, series.lower, series.upper) == ("a", "b", "c")


def test_hyperparameters(tmp_path):
    from tensorboard.plugins.hparams import metadata
    settings = {"lr": 0.1, "layers": 3, "act": "relu", "bias": True, "none": None, "t": weft.tensor(2.0)}
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(settings, {"hparam/accuracy": 0.9}, {"layers": [1, 2, 3], "act": ["relu", "tanh"]},
                           run_name="one", global_step=8)
    read = new_style(tmp_path / "one")
    content = read.PluginTagToContent("hparams")
    start = metadata.parse_session_start_info_plugin_data(content[metadata.SESSION_START_INFO_TAG])
    assert start.hparams["lr"].number_value == 0.1 and start.hparams["layers"].number_value == 3 and start.hparams["t"].number_value == 2
    assert start.hparams["act"].string_value == "relu" and start.hparams["bias"].bool_value is True and "none" not in start.hparams
    experiment = metadata.parse_experiment_plugin_data(content[metadata.EXPERIMENT_TAG])
    assert [i.name for i in experiment.hparam_infos] == ["lr", "layers", "act", "bias", "t"]
    assert [v.number_value for v in experiment.hparam_infos[1].domain_discrete.values] == [1, 2, 3]
    assert experiment.metric_infos[0].name.tag == "hparam/accuracy"
    assert metadata.parse_session_end_info_plugin_data(content[metadata.SESSION_END_INFO_TAG]).status == 1
    assert read.Tensors("hparam/accuracy")[0].step == 8


def test_mesh(tmp_path):
    from tensorboard.plugins.mesh import metadata
    vertices, colors, faces = np.random.default_rng(0).normal(size=(2, 4,
                                                                    3)), np.full((2, 4, 3), 200), np.array([[[0, 1,
                                                                                                              2]]] * 2)
    with SummaryWriter(tmp_path) as writer:
        writer.add_mesh("m", weft.tensor(vertices), colors, faces, {"camera": {"fov": 60}}, 3)
    read = new_style(tmp_path)
    content = read.PluginTagToContent("mesh")
    assert set(content) == {"m_VERTEX", "m_FACE", "m_COLOR"}
    about = metadata.parse_plugin_metadata(content["m_VERTEX"])
    assert (about.name, about.content_type, list(about.shape), about.components) == ("m", 1, [2, 4, 3], 14)
    assert about.json_config == '{"camera": {"fov": 60}}'
    np.testing.assert_allclose(tensor_util.make_ndarray(read.Tensors("m_VERTEX")[0].tensor_proto),
                               vertices.astype(np.float32))


def test_embedding(tmp_path):
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
    from tensorboard.plugins.projector.projector_plugin import _read_tensor_tsv_file
    vectors = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(weft.tensor(vectors), list("abcde"), weft.rand(5, 3, 6, 4), 7, "words/x")
        writer.add_embedding(vectors, [(i, i * i) for i in range(5)], metadata_header=["n", "square"])
    config = text_format.Parse((tmp_path / "projector_config.pbtxt").read_text(), ProjectorConfig())
    first, second = config.embeddings
    assert (first.tensor_name, first.tensor_path,
            list(first.sprite.single_image_dim)) == ("words/x:00007", "00007/words%2fx/tensors.tsv", [4, 6])
    np.testing.assert_array_equal(_read_tensor_tsv_file(str(tmp_path / first.tensor_path)), vectors)
    assert (tmp_path / second.metadata_path).read_text().splitlines()[:2] == ["n\tsquare", "0\t0"]
    sheet = pytest.importorskip("PIL.Image").open(tmp_path / first.sprite.image_path)
    assert sheet.size == (12, 18)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 8), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.second(self.first(x)).sum(1)


def test_graph(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Net(), weft.rand(2, 4))
    read = old_style(tmp_path)
    graph = read.Graph()
    by_name = {node.name: node for node in graph.node}
    assert {"input/input_0", "output/output_0", "Net/first/weight", "Net/second/0/bias", "Net/first/linear",
            "Net/second/0/linear"} <= set(by_name)
    assert list(by_name["Net/first/linear"].input)[0] == "input/input_0"
    assert [d.size for d in by_name["Net/first/linear"].attr["_output_shapes"].list.shape[0].dim] == [2, 8]
    reached, waiting = set(), ["output/output_0"]       # everything is connected
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(by_name[name].input)
    assert reached == set(by_name)
    assert read.RunMetadata("step1").step_stats.dev_stats[0].device == "/device:CPU:0"


def test_graph_plugin_serves_it(tmp_path):
    from tensorboard.backend import process_graph
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Net(), (weft.rand(2, 4),))
    (encoded,) = [event.graph_def for event in events_in(tmp_path) if event.HasField("graph_def")]
    graph = graph_pb2.GraphDef.FromString(encoded)
    process_graph.prepare_graph_for_ui(graph)
    assert len(graph.node) > 5


def test_purge_step_hides_what_came_after(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step in range(6):
            writer.add_scalar("loss", step, step)
    with SummaryWriter(tmp_path, purge_step=3, filename_suffix=".again") as writer:
        writer.add_scalar("loss", 30, 3)
    assert [s.step for s in old_style(tmp_path).Scalars("loss")] == [0, 1, 2, 3]
    assert [s.value for s in old_style(tmp_path).Scalars("loss")] == [0, 1, 2, 30]


def test_stock_messages_can_be_added(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.file_writer.add_event(event_pb2.Event(step=1, wall_time=3.0, file_version="x"), 9, 100.0)
    assert [(e.step, e.wall_time, e.file_version) for e in events_in(tmp_path)][1:] == [(9, 100.0, "x")]


def test_same_folder_as_torch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch_writer("").close()
    theirs = os.listdir("runs")
    with SummaryWriter(comment="_more") as writer:
        assert writer.get_logdir().endswith("_more")
        name = os.path.basename(writer.get_logdir())[:-len("_more")]
    assert [len(t) for t in theirs] == [len(name)] and theirs[0][15:] == name[15:]


def test_every_signature_is_torchs():
    import inspect
    theirs = pytest.importorskip("torch.utils.tensorboard").SummaryWriter
    for name, method in inspect.getmembers(theirs, inspect.isfunction):
        if name.startswith("_") and name != "__init__":
            continue
        want = list(inspect.signature(method).parameters.values())
        have = list(inspect.signature(getattr(SummaryWriter, name)).parameters.values())[:len(want)]
        assert [(p.name, p.default) for p in have] == [(p.name, p.default) for p in want], name
