"""weft.distributed on MPI beside torch.distributed on gloo: all_reduce, and training steps of DistributedDataParallel.

    python benchmarks/distributed.py             # both libraries, 2 ranks of one thread each; weft at 1 and 4 ranks too
    python benchmarks/distributed.py --rounds 5  # more turns

The libraries take turns, each in processes of its own; the best turn counts. docs/distributed.md has a table of it, and
benchmarks/growth.py goes on from its figures (benchmarks/distributed.json).
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"4 KB": 1024, "1 MB": 262144, "25 MB": 25 * 262144}
MODELS = ("MLP", "MNIST CNN", "GPT 4x128")


# inside a rank

def best(T, function, seconds=0.4):
    """The shortest time of a call, all ranks together; rank 0 says how many calls."""
    function()
    start = time.perf_counter()
    function()
    count = T.tensor([min(300, max(8, int(seconds / (time.perf_counter() - start))))])
    T.distributed.broadcast(count, 0)
    found = []
    for _ in range(int(count)):
        T.distributed.barrier()
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return min(found)


def model(T, name):
    """A network, its loss on a batch of one rank, and the number of examples."""
    sys.path.insert(0, str(HERE))
    import networks
    T.manual_seed(0)
    if name == "MLP":
        nn = T.nn
        net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
        x, y = T.randn(32, 64), T.randint(0, 10, (32,))
    elif name == "MNIST CNN":
        net, x, y = networks.mnist_cnn(T), T.randn(32, 1, 28, 28), T.randint(0, 10, (32,))
    else:
        net, x = networks.gpt(T, 4, 128, 4, 64), T.randint(0, 65, (8, 64))
        y = x
    ce = T.nn.functional.cross_entropy
    return net, (lambda m: ce(m(x).flatten(0, -2), y.flatten())), x.shape[0]


def rank_main(library, parts):
    T = __import__(library)
    T.set_num_threads(1)
    dist = T.distributed
    dist.init_process_group("gloo")
    size, found = dist.get_world_size(), {"ranks": dist.get_world_size()}
    if "all_reduce" in parts:
        for name, n in SIZES.items():
            x = T.ones(n)
            x.zero_()
            found[f"all_reduce {name}"] = best(T, lambda x=x: dist.all_reduce(x))
    if "steps" in parts:
        for name in MODELS:
            net, loss, examples = model(T, name)
            wrapped = T.nn.parallel.DistributedDataParallel(net)
            optimizer = T.optim.SGD(net.parameters(), lr=1e-4)

            def step(m=wrapped, optimizer=optimizer, loss=loss):
                optimizer.zero_grad()
                loss(m).backward()
                optimizer.step()

            def quiet(m=wrapped, step=step):
                with m.no_sync():
                    step()
            found[f"step {name}"] = best(T, step)
            found[f"alone {name}"] = best(T, quiet)
            found[f"examples {name}"] = examples * size
            found[f"bytes {name}"] = sum(p.numel() * 4 for p in net.parameters())
    if dist.get_rank() == 0:
        print("FOUND " + json.dumps(found), flush=True)
    dist.barrier()
    dist.destroy_process_group()


# outside

def run(library, ranks, parts, **environment):
    """One job; what its rank 0 found."""
    settings = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    program = [sys.executable, str(HERE / "distributed.py"), "--rank", library, "--parts", parts]
    if library == "weft":
        beside = pathlib.Path(sys.executable).with_name("mpiexec")
        mpiexec = str(beside) if beside.exists() else "mpiexec"
        jobs = [subprocess.Popen([mpiexec, "-n", str(ranks), *program], env=settings, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)]
    else:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        settings.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE=str(ranks))
        jobs = [subprocess.Popen(program, env={**settings, "RANK": str(r)}, stdout=subprocess.PIPE, text=True,
                                 stderr=subprocess.DEVNULL) for r in range(ranks)]
    text = "".join(job.communicate(timeout=300)[0] for job in jobs)
    return json.loads(next(line for line in text.splitlines() if line.startswith("FOUND"))[6:])


def least(turns):
    """The best of several jobs, figure by figure."""
    return {name: min(turn[name] for turn in turns) for name in turns[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank")
    parser.add_argument("--parts", default="all_reduce,steps")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-torch", action="store_true")
    arguments = parser.parse_args()
    if arguments.rank:
        rank_main(arguments.rank, arguments.parts.split(","))
        return
    turns = {"weft": [], "torch": [], "unchecked": [], 1: [], 4: []}
    for _ in range(arguments.rounds):
        turns["weft"].append(run("weft", 2, "all_reduce,steps"))
        if not arguments.no_torch:
            turns["torch"].append(run("torch", 2, "all_reduce,steps"))
        turns["unchecked"].append(run("weft", 2, "all_reduce,steps", WEFT_DISTRIBUTED_CHECK="0"))
        turns[1].append(run("weft", 1, "steps"))
        turns[4].append(run("weft", 4, "all_reduce,steps"))
    found = {str(name): least(made) for name, made in turns.items() if made}
    (HERE / "distributed.json").write_text(json.dumps(found, indent=1) + "\n")
    show(found)


def show(found):
    weft, torch, bare = found["weft"], found.get("torch"), found["unchecked"]
    print("| 2 ranks, one thread each | weft | PyTorch, gloo | ratio | weft, calls not compared |")
    print("| --- | --- | --- | --- | --- |")
    for name in (*(f"all_reduce {s}" for s in SIZES), *(f"step {m}" for m in MODELS)):
        other, ratio = (f"{torch[name] * 1e3:.3f} ms", f"{weft[name] / torch[name]:.2f}") if torch else ("", "")
        print(f"| {name} | {weft[name] * 1e3:.3f} ms | {other} | {ratio} | {bare[name] * 1e3:.3f} ms |")
    print("\n| weft, examples per second (step without exchange / with) | 1 rank | 2 ranks | 4 ranks |")
    print("| --- | --- | --- | --- |")
    for m in MODELS:
        cells = []
        for key in ("1", "weft", "4"):
            row = found[key]
            cells.append(f"{row[f'examples {m}'] / row[f'step {m}']:,.0f} ({row[f'alone {m}'] * 1e3:.2f} / "
                         f"{row[f'step {m}'] * 1e3:.2f} ms)")
        print(f"| {m} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
