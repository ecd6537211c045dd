"""accelerate: one process."""
# pip install accelerate
import torch
from accelerate import Accelerator, init_empty_weights, load_checkpoint_and_dispatch
from accelerate.state import AcceleratorState
from accelerate.utils import set_seed


def loop():
    """`prepare`, `accumulate`, `backward`, `clip_grad_norm_`, `gather_for_metrics`, a schedule: 8 steps"""
    set_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    data = torch.utils.data.TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
    loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    net, optimizer, loader, schedule = accelerator.prepare(net, optimizer, loader, schedule)
    losses, seen = [], []
    for x, y in loader:
        with accelerator.accumulate(net):
            out = net(x)
            loss = torch.nn.functional.cross_entropy(out, y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(loss)
        seen.append(accelerator.gather_for_metrics((out.argmax(-1), y)))
    return losses, seen, list(accelerator.unwrap_model(net).parameters())


def state():
    """`save_state` and `load_state` in the middle of training"""
    accelerator = Accelerator(cpu=True)
    net = torch.nn.Linear(4, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    net, optimizer = accelerator.prepare(net, optimizer)

    def step():
        loss = net(torch.randn(8, 4)).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        return loss
    before = [step() for _ in range(3)]
    accelerator.save_state("kept")
    first = [step().item() for _ in range(3)]
    accelerator.load_state("kept")
    return before, first, [step() for _ in range(3)]


def half():
    """`mixed_precision="bf16"`: three steps"""
    AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=True, mixed_precision="bf16")
    net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net, optimizer = accelerator.prepare(net, optimizer)
    kinds = []
    for _ in range(3):
        out = net(torch.randn(8, 6))
        accelerator.backward(out.pow(2).mean())
        optimizer.step()
        optimizer.zero_grad()
        kinds.append(str(out.dtype))
    AcceleratorState._reset_state(reset_partial_state=True)
    return kinds, [str(p.dtype) for p in net.parameters()]


def empty():
    """`init_empty_weights`, then `load_checkpoint_and_dispatch` from a file"""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.LayerNorm(7))
    torch.save(net.state_dict(), "net.bin")
    with init_empty_weights():
        bare = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.LayerNorm(7))
    devices = [str(p.device) for p in bare.parameters()]
    full = load_checkpoint_and_dispatch(bare, "net.bin", device_map={"": "cpu"})
    return devices, full(torch.ones(2, 5)), net(torch.ones(2, 5))
