"""skorch: networks with scikit-learn's interface."""
# pip install skorch
import numpy as np
import torch
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import Checkpoint, EarlyStopping, EpochScoring, LRScheduler


class _Net(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(5, width), torch.nn.ReLU(), torch.nn.Dropout(0.2),
                                        torch.nn.Linear(width, 3), torch.nn.Softmax(-1))

    def forward(self, x):
        return self.body(x)


def _data():
    made = np.random.default_rng(0)
    return made.normal(size=(48, 5)).astype("float32"), made.integers(0, 3, 48)


def classifier():
    """`NeuralNetClassifier` in a pipeline, with callbacks; `predict_proba`, saved and loaded"""
    x, y = _data()
    net = NeuralNetClassifier(_Net, max_epochs=4, lr=0.1, batch_size=8, verbose=0, callbacks=[
        EarlyStopping(patience=3), LRScheduler("StepLR", step_size=2), Checkpoint(dirname="kept"),
        EpochScoring("f1_macro", name="f1")])
    chain = make_pipeline(StandardScaler(), net)
    chain.fit(x, y)
    net.save_params(f_params="net.pt", f_optimizer="opt.pt")
    again = NeuralNetClassifier(_Net, verbose=0).initialize()
    again.load_params(f_params="net.pt")
    return net.history[:, "train_loss"], net.history[:, "f1"], chain.predict_proba(x), again.predict_proba(x)


def search():
    """`GridSearchCV` over width and rate"""
    x, y = _data()
    torch.manual_seed(0)
    grid = GridSearchCV(NeuralNetClassifier(_Net, max_epochs=2, train_split=None, verbose=0),
                        {"lr": [0.01, 0.1], "module__width": [4, 8]}, cv=3, scoring="accuracy")
    grid.fit(x, y)
    return grid.cv_results_["mean_test_score"], str(grid.best_params_)


def regressor():
    """`NeuralNetRegressor` with Adam"""
    x, _ = _data()
    net = NeuralNetRegressor(lambda: torch.nn.Linear(5, 1), max_epochs=3, optimizer=torch.optim.Adam, verbose=0)
    net.fit(x, x[:, :1] * 2)
    return net.predict(x), net.history[:, "valid_loss"]
