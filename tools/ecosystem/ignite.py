"""pytorch-ignite: engines and handlers."""
# pip install pytorch-ignite
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, EarlyStopping, EMAHandler, ModelCheckpoint
from ignite.metrics import Accuracy, ConfusionMatrix, Fbeta, Loss, RunningAverage


def engines():
    """trainer and evaluator with metrics, checkpoints, EMA, early stopping: three epochs"""
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    data = torch.utils.data.TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,)))
    loader = torch.utils.data.DataLoader(data, batch_size=6)
    loss = torch.nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(net, optimizer, loss)
    RunningAverage(output_transform=lambda o: o).attach(trainer, "loss")
    judge = create_supervised_evaluator(net, metrics={"accuracy": Accuracy(), "loss": Loss(loss), "f1": Fbeta(1.0),
                                                      "confusion": ConfusionMatrix(3)})
    ema, seen = EMAHandler(net, momentum=0.1), []
    ema.attach(trainer, event=Events.ITERATION_COMPLETED)
    judge.add_event_handler(Events.COMPLETED, EarlyStopping(2, lambda e: -e.state.metrics["loss"], trainer))
    judge.add_event_handler(Events.COMPLETED, ModelCheckpoint("kept", n_saved=2, require_empty=False), {"net": net})
    keep = Checkpoint({"net": net, "optimizer": optimizer, "trainer": trainer}, DiskSaver("all", require_empty=False))
    trainer.add_event_handler(Events.EPOCH_COMPLETED, keep)

    @trainer.on(Events.EPOCH_COMPLETED)
    def judged(engine):
        judge.run(loader)
        seen.append((engine.state.metrics["loss"], dict(judge.state.metrics)))
    trainer.run(loader, max_epochs=3)
    return seen, list(ema.ema_model.parameters())
