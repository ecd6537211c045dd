"""fastai: its Learner."""
# pip install fastai --no-deps
# pip install fastcore fasttransform fastprogress fastdownload plum-dispatch matplotlib pandas pyyaml
# pip install scikit-learn scipy cloudpickle pillow
# pip install torchvision --no-deps
import numpy as np
import pandas as pd
import torch
from fastai.callback import progress, schedule  # noqa: F401  (methods of Learner)
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from fastai.metrics import accuracy
from fastai.optimizer import Adam


def learner():
    """`Learner`: one cycle, saved and loaded, predictions"""
    x, y = torch.randn(64, 4), torch.randint(0, 3, (64,))
    sets = [torch.utils.data.TensorDataset(x[:48], y[:48]), torch.utils.data.TensorDataset(x[48:], y[48:])]
    loaders = DataLoaders(*(DataLoader(s, bs=8, num_workers=0) for s in sets))
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    learn = Learner(loaders, net, loss_func=torch.nn.CrossEntropyLoss(), opt_func=Adam, metrics=accuracy)
    with learn.no_bar(), learn.no_logging():
        learn.fit_one_cycle(2, 1e-2)
        learn.save("kept")
        learn.load("kept")
        learn.fit(1, 1e-3)
        found = learn.get_preds()
    return [float(v) for v in learn.recorder.losses], [list(v) for v in learn.recorder.values], found


def tables():
    """`TabularDataLoaders` and `tabular_learner`: one epoch"""
    from fastai.tabular.all import Categorify, FillMissing, Normalize, TabularDataLoaders, tabular_learner
    made = np.random.default_rng(0)
    frame = pd.DataFrame({"a": made.normal(size=80), "b": made.choice(["x", "y", "z"], 80), "c": made.normal(size=80)})
    frame["target"] = (frame.a > 0).astype(str)
    loaders = TabularDataLoaders.from_df(frame, procs=[Categorify, FillMissing, Normalize], cat_names=["b"],
                                         cont_names=["a", "c"], y_names="target", bs=16, seed=0, num_workers=0)
    learn = tabular_learner(loaders, layers=[8], metrics=accuracy)
    with learn.no_bar(), learn.no_logging():
        learn.fit(1)
    return [list(v) for v in learn.recorder.values]


def pictures():
    """`vision_learner`'s network on resnet18: forward; augmentations of a batch"""
    from fastai.vision.all import aug_transforms, create_vision_model, resnet18
    net = create_vision_model(resnet18, 4, pretrained=False).eval()
    with torch.no_grad():
        return net(torch.randn(2, 3, 64, 64)), len(aug_transforms())
