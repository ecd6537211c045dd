"""lightning: its Trainer."""
# pip install lightning
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger


class _Net(L.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.body = torch.nn.Sequential(torch.nn.Linear(6, width), torch.nn.ReLU(), torch.nn.Dropout(0.1),
                                        torch.nn.Linear(width, 3))
        self.seen = []

    def training_step(self, batch, i):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self.body(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True, prog_bar=True)
        self.seen.append(loss.item())
        return loss

    def validation_step(self, batch, i):
        x, y = batch
        out = self.body(x)
        self.log_dict({"val_loss": torch.nn.functional.cross_entropy(out, y),
                       "val_acc": (out.argmax(-1) == y).float().mean()})

    def predict_step(self, batch, i):
        return self.body(batch[0])

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)}


def _data(count=32):
    data = torch.utils.data.TensorDataset(torch.randn(count, 6), torch.randint(0, 3, (count,)))
    return torch.utils.data.DataLoader(data, batch_size=8)


def _trainer(**options):
    return L.Trainer(accelerator="cpu", devices=1, enable_progress_bar=False, enable_model_summary=False,
                     log_every_n_steps=1, **options)


def fit():
    """`fit` with validation, checkpoints, early stopping, clipping, accumulation; `load_from_checkpoint`; `predict`"""
    L.seed_everything(0, verbose=False)
    kept = ModelCheckpoint(dirpath="kept", monitor="val_loss", save_last=True)
    trainer = _trainer(max_epochs=3, gradient_clip_val=0.5, accumulate_grad_batches=2, logger=CSVLogger("logs"),
                       callbacks=[kept, EarlyStopping("val_loss", patience=2), LearningRateMonitor()])
    net, train, val = _Net(), _data(), _data(16)
    trainer.fit(net, train, val)
    again = _Net.load_from_checkpoint(kept.best_model_path)
    return (net.seen, dict(trainer.callback_metrics), again.hparams.width,
            trainer.predict(again, val), trainer.validate(net, val, verbose=False))


def resume():
    """two epochs, then a third from the checkpoint"""
    L.seed_everything(1, verbose=False)
    train = _data()
    first = _Net()
    trainer = _trainer(max_epochs=2, logger=False, enable_checkpointing=False)
    trainer.fit(first, train)
    trainer.save_checkpoint("two.ckpt")
    second = _Net()
    _trainer(max_epochs=3, logger=False, enable_checkpointing=False).fit(second, train, ckpt_path="two.ckpt")
    return first.seen, second.seen


def manual():
    """manual optimization with two optimizers, as a GAN has"""
    class Pair(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.automatic_optimization = False
            self.a, self.b, self.seen = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1), []

        def training_step(self, batch, i):
            for optimizer, sign in zip(self.optimizers(), (1, -1)):
                self.toggle_optimizer(optimizer)
                loss = sign * self.b(self.a(batch[0]).tanh()).sigmoid().mean()
                optimizer.zero_grad()
                self.manual_backward(loss)
                optimizer.step()
                self.untoggle_optimizer(optimizer)
                self.seen.append(loss.item())

        def configure_optimizers(self):
            return [torch.optim.Adam(self.a.parameters(), 1e-2), torch.optim.SGD(self.b.parameters(), 1e-1)], []
    pair = Pair()
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(16, 2)), batch_size=4)
    _trainer(max_epochs=1, logger=False, enable_checkpointing=False).fit(pair, data)
    return pair.seen


def fabric():
    """`Fabric`: `setup`, `backward`, `save`, `load`, bf16-mixed"""
    fabric = L.Fabric(accelerator="cpu", devices=1, precision="bf16-mixed")
    net = torch.nn.Linear(4, 2)
    net, optimizer = fabric.setup(net, torch.optim.SGD(net.parameters(), lr=0.1))
    kinds = []
    for _ in range(3):
        out = net(torch.randn(8, 4))
        fabric.backward(out.float().pow(2).mean())
        optimizer.step()
        optimizer.zero_grad()
        kinds.append(str(out.dtype))
    fabric.save("fabric.ckpt", {"net": net, "step": 3})
    left = fabric.load("fabric.ckpt", {"net": net})
    return kinds, left["step"], str(next(net.parameters()).dtype)
