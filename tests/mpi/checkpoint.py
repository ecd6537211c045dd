"""Run under mpiexec: `save FOLDER` trains and saves, `load FOLDER` goes on from there; both print the losses that follow.
"""
import sys

import weft
import weft.distributed as dist
import weft.distributed.checkpoint as dcp
from weft import nn
from weft.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from weft.distributed.tensor import Replicate, Shard, distribute_module, distribute_tensor, init_device_mesh


def cut(name, module, mesh):
    placement = Shard(0) if name == "0" else Replicate()
    for key, p in list(module._parameters.items()):
        module.register_parameter(key, nn.Parameter(distribute_tensor(p.detach(), mesh, [placement])))


def step(net, optimizer, number):
    x = weft.randn(4, 5, generator=weft.Generator().manual_seed(number), dtype=weft.float64)
    optimizer.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


class Position:
    """Something that saves itself."""
    at = 0

    def state_dict(self):
        return {"at": self.at}

    def load_state_dict(self, state):
        self.at = state["at"]


def main():
    dist.init_process_group()
    what, folder = sys.argv[1:]
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3)).double()
    distribute_module(net, mesh, cut, lambda m, given, mesh: tuple(distribute_tensor(x, mesh) for x in given))
    optimizer = weft.optim.AdamW([{"params": net[0].parameters(), "lr": 0.1}, {"params": net[2].parameters()}], lr=0.05)
    position = Position()
    if what == "save":
        for number in range(3):
            step(net, optimizer, number)
        position.at = 3
        optimizer.param_groups[1]["lr"] = 0.02
    model, steps = get_state_dict(net, optimizer)
    state = {"model": model, "optimizer": steps, "position": position, "pair": (1, weft.ones(2, dtype=weft.bfloat16)),
             "notes": ["a", {"b": None}]}
    if what == "save":
        dcp.save(state, checkpoint_id=folder)
        whole, _ = get_state_dict(net, optimizer, options=StateDictOptions(full_state_dict=True))
        assert type(whole["0.weight"]) is weft.Tensor and whole["0.weight"].shape == (7, 5)
    else:
        state["pair"], state["notes"] = (0, weft.zeros(2, dtype=weft.bfloat16)), ["", {"b": 1}]
        dcp.load(state, checkpoint_id=folder)
        assert state["pair"][0] == 1 and state["pair"][1].tolist() == [1, 1] and position.at == 3, state
        assert state["notes"] == ["a", {"b": None}], state["notes"]
        set_state_dict(net, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        assert optimizer.param_groups[1]["lr"] == 0.02 and optimizer.param_groups[0]["lr"] == 0.1
    losses = [round(step(net, optimizer, number), 12) for number in range(position.at, position.at + 3)]
    if dist.get_rank() == 0:
        print("losses", losses, flush=True)


main()
