"""optuna: searching hyperparameters of a network."""
# pip install optuna
import optuna
import torch

optuna.logging.set_verbosity(optuna.logging.ERROR)


def search():
    """TPE over rate, width and optimizer of an MLP, with pruning: eight trials"""
    x = torch.randn(40, 4)
    y = x.sum(1, keepdim=True).sin()

    def objective(trial):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(4, trial.suggest_int("width", 4, 16)), torch.nn.Tanh(),
                                  torch.nn.LazyLinear(1))
        kind = getattr(torch.optim, trial.suggest_categorical("kind", ["Adam", "SGD"]))
        net(x)
        optimizer = kind(net.parameters(), lr=trial.suggest_float("lr", 1e-4, 1e-1, log=True))
        for step in range(5):
            optimizer.zero_grad()
            loss = (net(x) - y).pow(2).mean()
            loss.backward()
            optimizer.step()
            trial.report(loss.item(), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return loss.item()
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0), pruner=optuna.pruners.MedianPruner(2))
    study.optimize(objective, n_trials=8)
    return study.best_value, {k: str(v)[:6] for k, v in study.best_params.items()}, [str(t.state) for t in study.trials]


def gaussian():
    """`GPSampler`, which is written with torch: six trials"""
    study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=0, n_startup_trials=3))
    study.optimize(lambda t: (t.suggest_float("x", -2, 2) - 0.5) ** 2, n_trials=6)
    return [t.value for t in study.trials]
