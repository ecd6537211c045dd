"""Averaged models beside PyTorch's: plain mean, moving mean, own functions, buffers, batch norms."""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")


def model_of(lib, dtype="float32"):
    rng = np.random.default_rng(4)
    model = lib.nn.Sequential(lib.nn.Linear(3, 5), lib.nn.BatchNorm1d(5), lib.nn.ReLU(),
                              lib.nn.Linear(5, 2)).to(getattr(lib, dtype))
    with lib.no_grad():
        for p in model.parameters():
            p.copy_(lib.tensor(rng.standard_normal(tuple(p.shape)).astype(dtype)))
    return model


def arrays(model):
    return [np.asarray(t.detach().numpy()) for t in model.state_dict().values()]


def train(lib, averaged, model, dtype="float32", steps=6):
    rng = np.random.default_rng(5)
    for _ in range(steps):
        with lib.no_grad():
            for p in model.parameters():
                p.add_(lib.tensor(rng.standard_normal(tuple(p.shape)).astype(dtype)))
        model(lib.tensor(rng.standard_normal((8, 3)).astype(dtype)))
        averaged.update_parameters(model)
    return averaged


FUNCTIONS = {
    "mean": lambda u: {}, "ema list": lambda u: dict(multi_avg_fn=u.get_ema_multi_avg_fn(0.9)),
    "mean list": lambda u: dict(multi_avg_fn=u.get_swa_multi_avg_fn()),
    "ema": lambda u: dict(avg_fn=u.get_ema_avg_fn(0.8)), "mean one": lambda u: dict(avg_fn=u.get_swa_avg_fn()),
    "own": lambda u: dict(avg_fn=lambda mean, now, n: 0.25 * mean + 0.75 * now),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_averages_are_equal(kind, use_buffers, dtype):
    if kind == "mean list" and use_buffers:
        pytest.skip("PyTorch can't average whole numbers this way")
    found = []
    for lib in (weft, torch):
        model = model_of(lib, dtype)
        averaged = lib.optim.swa_utils.AveragedModel(model, use_buffers=use_buffers,
                                                     **FUNCTIONS[kind](lib.optim.swa_utils))
        found.append((list(averaged.state_dict()), arrays(train(lib, averaged, model, dtype))))
    assert found[0][0] == found[1][0]
    for ours, theirs in zip(found[0][1], found[1][1]):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-6 if dtype == "float32" else 1e-14,
                                   atol=1e-6 if dtype == "float32" else 1e-14)


def test_update_bn_is_equal():
    rng = np.random.default_rng(6)
    batches = [rng.standard_normal((4, 3)).astype(np.float32) for _ in range(5)]
    found = []
    for lib in (weft, torch):
        model = model_of(lib)
        averaged = lib.optim.swa_utils.AveragedModel(model)
        averaged.update_parameters(model)
        lib.optim.swa_utils.update_bn([(lib.tensor(b), 0) for b in batches], averaged)
        averaged.eval()
        assert averaged.module[1].momentum == 0.1
        found.append([*arrays(averaged), averaged(lib.tensor(batches[0])).detach().numpy()])
    for ours, theirs in zip(*found):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call",
                         [lambda u, m: u.AveragedModel(m, avg_fn=u.get_swa_avg_fn(),
                                                       multi_avg_fn=u.get_swa_multi_avg_fn()),
                                  lambda u, m: u.get_ema_avg_fn(1.5), lambda u, m: u.get_ema_multi_avg_fn(-0.1)])
def test_the_same_is_refused(call):
    kinds = []
    for lib in (weft, torch):
        with pytest.raises(Exception) as error:
            call(lib.optim.swa_utils, model_of(lib))
        kinds.append(error.type)
    assert kinds[0] is kinds[1]


@pytest.mark.parametrize("options", [dict(swa_lr=[0.1]), dict(swa_lr=0.1, anneal_strategy="no"),
                                     dict(swa_lr=0.1, anneal_epochs=-1), dict(swa_lr=0.1, anneal_epochs=1.5)])
def test_swalr_refuses_the_same(options):
    for lib in (weft, torch):
        groups = [{"params": [lib.ones(1, requires_grad=True)]}, {"params": [lib.ones(1, requires_grad=True)]}]
        with pytest.raises(ValueError):
            lib.optim.swa_utils.SWALR(lib.optim.SGD(groups, lr=0.1), **options)
