"""DistributedDataParallel on MPI beside torch's on gloo: the same program, from the same seed, gives the same losses."""
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("torch")
MPIEXEC = pathlib.Path(sys.executable).with_name("mpiexec")
pytestmark = pytest.mark.skipif(not MPIEXEC.exists() or importlib.util.find_spec("mpi4py") is None,
                                reason="mpi4py and mpich are not installed: pip install 'weft[mpi]'")
PROGRAM = """
    import importlib, json, sys
    T = importlib.import_module(sys.argv[1])
    dist = importlib.import_module(sys.argv[1] + ".distributed")
    T.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, nn = dist.get_rank(), T.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10))
            self.seldom = nn.Linear(10, 10)

        def forward(self, x, seldom):
            y = self.body(x)
            return self.seldom(y) if seldom else y

    T.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
    optimizer = T.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    T.manual_seed(10 + rank)
    losses = []
    for step in range(8):
        x, y = T.randn(8, 1, 8, 8), T.randint(0, 10, (8,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x, step % 2 == 1), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    every = [None, None]
    dist.all_gather_object(every, losses)
    half = T.full((7,), 1.5 + rank, dtype=T.bfloat16)
    dist.all_reduce(half)
    if rank == 0:
        print("FOUND", json.dumps([every, half.tolist()]))
    """


def found(text):
    return json.loads(next(line for line in text.splitlines() if line.startswith("FOUND"))[6:])


def test_first_losses_are_those_of_torch(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PMI")}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {**kept, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    torch_jobs = [subprocess.Popen([sys.executable, str(path), "torch"], env={**settings, "RANK": str(r)}, text=True,
                                   stdout=subprocess.PIPE) for r in range(2)]
    made = subprocess.run([str(MPIEXEC), "-n", "2", sys.executable, str(path), "weft"], env=kept, capture_output=True,
                          text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    (losses, half), (expected, expected_half) = found(made.stdout), found("".join(j.communicate(timeout=120)[0] for j in torch_jobs))
    assert half == expected_half
    for own, other in zip(losses, expected):
        assert own == pytest.approx(other, abs=2e-5)
        assert own[:3] == pytest.approx(other[:3], abs=1e-6)
