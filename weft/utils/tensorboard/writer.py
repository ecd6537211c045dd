"""`SummaryWriter`: what a training program logs, as event files for TensorBoard."""
import os
import time

from weft.utils.tensorboard import embedding, media, summary
from weft.utils.tensorboard import messages as m
from weft.utils.tensorboard.arrays import as_array, as_number, as_step
from weft.utils.tensorboard.events import FileWriter
from weft.utils.tensorboard.graph import graph
from weft.utils.tensorboard.onnx import onnx_graph
from weft.utils.tensorboard.tables import CSV, JSONL


class SummaryWriter:
    """Logs to an event file in `log_dir` (default: runs/<date>_<host><comment>), in the background.

    csv=True writes the scalars to scalars.csv in that folder, too, and jsonl=True everything to events.jsonl.

    >>> import weft
    >>> import tempfile
    >>> with weft.utils.tensorboard.SummaryWriter(tempfile.mkdtemp()) as writer:
    ...     for step in range(3):
    ...         writer.add_scalar("loss", 1 / (step + 1), step)
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix="", *,
                 csv=False, jsonl=False):
        if not log_dir:
            import socket  # heavy, only for the default folder's name
            log_dir = os.path.join("runs", f"{time.strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self.purge_step, self.max_queue, self.flush_secs, self.filename_suffix = (
            as_step(purge_step), max_queue, flush_secs, filename_suffix)
        self.default_bins = summary.default_bins()
        self._kinds = [kind for kind, wanted in ((CSV, csv), (JSONL, jsonl)) if wanted]
        self._embeddings = ""
        self.file_writer = self.all_writers = None
        self._tables = []
        self._get_file_writer()

    def _get_file_writer(self):
        """The writer of the main event file; opened again when it was closed."""
        if self.file_writer is None:
            self.file_writer = self._new_writer(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            names = {CSV: "scalars.csv", JSONL: "events.jsonl"}
            self._tables = [kind(os.path.join(self.log_dir, names[kind]), self.purge_step) for kind in self._kinds]
            if self.purge_step is not None:
                self.file_writer.add_event(m.event(version="brain.Event:2"), self.purge_step)
                self.file_writer.add_event(m.event(started=True), self.purge_step)
                self.purge_step = None
        return self.file_writer

    def _new_writer(self, folder):
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _add(self, kind, tag, made, step, walltime, value=None):
        """Log an encoded summary, and note it in the tables."""
        step = as_step(step)
        walltime = time.time() if walltime is None else walltime
        self._get_file_writer().add_summary(made, step, walltime)
        self._note(kind, tag, step, walltime, value)

    def _note(self, kind, tag, step, walltime, value=None):
        for table in self._tables:
            table.add(kind, tag, as_step(step), float(walltime), value)

    def get_logdir(self):
        """The folder of the event files.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.get_logdir()
        'runs'
        """
        return self.log_dir

    # numbers

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """One number.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_scalar("loss", 0.5, global_step=1)
        """
        made = summary.scalar(tag, scalar_value, new_style, double_precision)
        self._add("scalar", tag, made, global_step, walltime, as_number(scalar_value, tag) if self._kinds else None)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Several numbers in one chart; each gets an event file in a folder of its own.

        >>> import weft
        >>> import os
        >>> with weft.utils.tensorboard.SummaryWriter("several") as writer:
        ...     writer.add_scalars("loss", {"train": 0.5, "test": 0.6}, global_step=1)
        >>> sorted(name for name in os.listdir("several") if name.startswith("loss"))
        ['loss_test', 'loss_train']
        """
        walltime = time.time() if walltime is None else walltime
        made = {tag: summary.scalar(main_tag, number) for tag, number in tag_scalar_dict.items()}
        home = self._get_file_writer().get_logdir()
        for tag, encoded in made.items():
            folder = f"{home}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self.all_writers:
                self.all_writers[folder] = self._new_writer(folder)
            self.all_writers[folder].add_summary(encoded, global_step, walltime)
            if self._kinds:
                self._note("scalar", f"{main_tag}/{tag}", global_step, walltime, as_number(tag_scalar_dict[tag], tag))

    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        """A whole tensor.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_tensor("weights", weft.ones(2, 3))
        """
        made = summary.tensor(tag, tensor)
        self._add("tensor", tag, made, global_step, walltime, as_array(tensor).tolist() if self._kinds else None)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """The distribution of values; bins: "tensorflow", limits, a number, or one of NumPy's ways ("auto", "fd", ...).

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_histogram("weights", weft.linspace(-1, 1, 100), global_step=0)
        """
        bins = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add("histogram", tag, summary.histogram(tag, values, bins, max_bins), global_step, walltime,
                  self._figures(values))

    def _figures(self, values):
        if not self._kinds:
            return None
        x = as_array(values).astype(float)
        return {"min": x.min(), "max": x.max(), "mean": x.mean(), "std": x.std(), "count": x.size}

    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None,
                          walltime=None):
        """A histogram that was counted elsewhere; bucket_limits are the right ends.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_histogram_raw("w", min=0, max=2, num=3, sum=3, sum_squares=5,
        ...                              bucket_limits=[1, 2], bucket_counts=[1, 2])
        """
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError(f"len(bucket_limits) != len(bucket_counts): {len(bucket_limits)} and {len(bucket_counts)}")
        made = summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add("histogram", tag, made, global_step, walltime)

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """Precision and recall, of true or false labels and predicted probabilities.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_pr_curve("spam", weft.tensor([0, 1, 1]), weft.tensor([0.2, 0.4, 0.9]))
        """
        made = summary.pr_curve(tag, labels, predictions, num_thresholds, weights)
        self._add("pr_curve", tag, made, global_step, walltime)

    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, true_negative_counts,
                         false_negative_counts, precision, recall, global_step=None, num_thresholds=127, weights=None,
                         walltime=None):
        """A curve of counts that were made elsewhere.

        >>> import weft
        >>> counts = dict(true_positive_counts=[3, 1], false_positive_counts=[1, 0], true_negative_counts=[0, 1],
        ...               false_negative_counts=[0, 2], precision=[0.75, 1.0], recall=[1.0, 0.33])
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_pr_curve_raw("spam", **counts, num_thresholds=2)
        """
        made = summary.pr_curve_raw(tag, true_positive_counts, false_positive_counts, true_negative_counts,
                                    false_negative_counts, precision, recall, num_thresholds, weights)
        self._add("pr_curve", tag, made, global_step, walltime)

    # pictures, sounds, words

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """An image: uint8, or other numbers in 0 .. 1.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_image("noise", weft.rand(3, 8, 8))
        """
        self._add("image", tag, media.image(tag, img_tensor, dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """A batch of images, as a grid.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_images("batch", weft.rand(4, 3, 8, 8))
        """
        self._add("image", tag, media.image(tag, img_tensor, dataformats), global_step, walltime)

    def add_image_with_boxes(self, tag, img_tensor, box_tensor, global_step=None, walltime=None, rescale=1,
                             dataformats="CHW", labels=None):
        """An image with frames: boxes are (N, 4) of xmin, ymin, xmax, ymax.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_image_with_boxes("found", weft.rand(3, 32, 32), weft.tensor([[4, 4, 20, 20]]))
        """
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != len(box_tensor):
            labels = None
        made = media.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._add("image", tag, made, global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """matplotlib's figure, or a list of them.

        >>> import matplotlib.figure
        >>> import weft
        >>> figure = matplotlib.figure.Figure()
        >>> _ = figure.subplots().plot([0, 1], [1, 0])
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_figure("line", figure)
        """
        several = isinstance(figure, list)
        self.add_image(tag, media.figures_to_arrays(figure, close), global_step, walltime, "NCHW" if several else "CHW")

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None):
        """Videos (N, T, C, H, W), as an animated GIF.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_video("clip", weft.rand(1, 4, 3, 8, 8), fps=4)
        """
        self._add("video", tag, media.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """A sound: samples in -1 .. 1.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_audio("beep", weft.sin(weft.linspace(0, 440, 8000)), sample_rate=8000)
        """
        self._add("audio", tag, media.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """Text, shown as Markdown.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_text("notes", "lr was **too high**", global_step=1)
        """
        self._add("text", tag, summary.words(tag, text_string), global_step, walltime, text_string)

    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None):
        """Points or triangles in space, each (batch, points, 3).

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_mesh("points", weft.rand(1, 5, 3))
        """
        self._add("mesh", tag, summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    # models

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """The graph of `model(*input_to_model)`, which is called once for it.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_graph(weft.nn.Linear(3, 2), weft.ones(1, 3))
        """
        made = graph(model, input_to_model, verbose)
        self._get_file_writer().add_graph(made)
        self._note("graph", type(model).__name__, None, time.time())

    def add_onnx_graph(self, prototxt):
        """The graph of an ONNX file.

        >>> import weft
        >>> with open("model.onnx", "wb") as file:
        ...     _ = file.write(bytes([0x3a, 0]))        # a model whose graph is empty
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_onnx_graph("model.onnx")
        """
        self._get_file_writer().add_onnx_graph(onnx_graph(prototxt))
        self._note("graph", os.fspath(prototxt), None, time.time())

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        """Vectors (N, D) for the projector, with a label (or a row of them) and a picture (C, H, W) for each.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_embedding(weft.rand(4, 3), metadata=["a", "b", "c", "d"])
        """
        mat, images = as_array(mat), None if label_img is None else as_array(label_img)
        metadata = None if metadata is None else list(metadata)
        embedding.check(mat, metadata, images, metadata_header)
        step = str(as_step(global_step) or 0).zfill(5)
        folder = f"{step}/{embedding.encoded(tag)}"
        home = self._get_file_writer().get_logdir()
        place = os.path.join(home, folder)
        if os.path.exists(place):
            if not os.path.isdir(place):
                raise NotADirectoryError(f"Path: `{place}` exists, but is a file. Cannot proceed.")
            print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
        embedding.write(place, mat, metadata, images, metadata_header)
        self._embeddings += embedding.entry(tag, step, folder, metadata, images)
        with open(os.path.join(home, "projector_config.pbtxt"), "w", encoding="utf-8") as file:
            file.write(self._embeddings)
        self._note("embedding", tag, global_step, time.time())

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """Hyperparameters and the metrics that they led to, as a run of their own in a folder below.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_hparams({"lr": 0.1, "batch": 32}, {"accuracy": 0.9}, run_name="first")
        """
        made = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        numbers = {key: as_number(value, f"add_hparams(): metric '{key}'") for key, value in metric_dict.items()}
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(folder) as own:
            for encoded in made:
                own.file_writer.add_summary(encoded, global_step)
            for key, number in numbers.items():
                own.add_scalar(key, number, global_step)
        self._note("hparams", run_name or os.path.basename(folder), global_step, time.time(),
                   {"hparams": hparam_dict, "metrics": numbers})

    # charts

    def add_custom_scalars(self, layout):
        """Charts of several scalars: {category: {title: ["Multiline" or "Margin", tags]}}; once for each writer.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_custom_scalars({"loss": {"both": ["Multiline", ["loss/train", "loss/test"]]}})
        """
        self._add("custom_scalars", "custom_scalars", summary.custom_scalars(layout), None, None, layout)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        """One chart with a line for each tag.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_custom_scalars_multilinechart(["loss/train", "loss/test"])
        """
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        """One chart with a line between two others: three tags.

        >>> import weft
        >>> with weft.utils.tensorboard.SummaryWriter("runs") as writer:
        ...     writer.add_custom_scalars_marginchart(["loss/mean", "loss/low", "loss/high"])
        """
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    # the end

    def flush(self):
        """Write out what waits.

        >>> import weft
        >>> writer = weft.utils.tensorboard.SummaryWriter("runs")
        >>> writer.add_scalar("loss", 0.5)
        >>> writer.flush()
        >>> writer.close()
        """
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self):
        """Write out what waits, and close the files; a later add opens new ones.

        >>> import weft
        >>> writer = weft.utils.tensorboard.SummaryWriter("runs")
        >>> writer.add_scalar("loss", 0.5)
        >>> writer.close()
        """
        for writer in (self.all_writers or {}).values():
            writer.close()
        for table in self._tables:
            table.close()
        self.file_writer, self.all_writers, self._tables = None, None, []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
