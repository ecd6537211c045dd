"""Calls between three workers: values, errors, references, gradients, an optimizer; run by mpiexec, or by itself with
mp.spawn (`python rpc.py spawn PORT`).
"""
import os
import sys
import threading
import time

import weft
import weft.distributed.autograd as dist_autograd
from weft import nn
from weft.distributed import rpc
from weft.distributed.nn import RemoteModule
from weft.distributed.optim import DistributedOptimizer

SIZE = 3


class Odd(Exception):
    def __init__(self, code, why):
        super().__init__(code, why)


class Store:
    """An object that lives in one worker."""
    there = 0

    def __init__(self, start):
        self.values, self.full, self.lock = [start], weft.futures.Future(), threading.Lock()
        Store.there += 1

    def __del__(self):
        Store.there -= 1

    def add(self, value):
        self.values.append(value)
        return len(self.values)

    def sum(self):
        return sum(self.values)

    @rpc.functions.async_execution
    def when_full(self, count):
        """Answers when so many have asked."""
        with self.lock:
            self.values.append(0)
            if len(self.values) > count:
                self.full.set_result("full")
            return self.full


def fails(how):
    if how == "odd":
        raise Odd(3, "on purpose")
    raise ZeroDivisionError("on purpose")


def name_of_caller():
    return rpc.get_worker_info().name


def ask_further(rref, to):
    """What another worker finds in a value that lives in yet another."""
    return rpc.rpc_sync(to, look, (rref,))


def look(rref):
    return rref.to_here() if not rref.is_owner() else rref.local_value()


def countdown(n):
    """Calls back and forth, each waiting for the next."""
    info = rpc.get_worker_info()
    return 0 if n == 0 else 1 + rpc.rpc_sync((info.id + 1) % SIZE, countdown, (n - 1,))


def dtypes():
    kinds = (weft.float64, weft.float16, weft.bfloat16, weft.int32, weft.bool, weft.complex64)
    return [weft.arange(3).to(kind) for kind in kinds]


def same(x):
    return x


def fire_and_forget(count, to):
    if count:
        rpc.rpc_async(to, fire_and_forget, (count - 1, rpc.get_worker_info().id))
    else:
        Counted.done = True


class Counted:
    done = False


def calls():
    x = weft.arange(6.0).reshape(2, 3)
    assert rpc.rpc_sync("worker1", weft.add, (x.T, 1)).equal(x.T + 1)
    assert rpc.rpc_sync(rpc.get_worker_info("worker2"), name_of_caller) == "worker2"
    assert rpc.rpc_sync(0, name_of_caller) == "worker0"
    many = [rpc.rpc_async(1 + i % 2, pow, (i, 2)) for i in range(200)]
    assert weft.futures.wait_all(many) == [i * i for i in range(200)]
    for t, back in zip(dtypes(), rpc.rpc_sync("worker1", dtypes)):
        assert back.dtype == t.dtype and back.equal(t)
    big = weft.randn(1000, 1000)
    assert rpc.rpc_sync("worker2", same, ({"big": [big, big[:0]], "view": big[::7, 3:9]},))["view"].equal(big[::7, 3:9])
    sparse = weft.eye(3).to_sparse()
    assert rpc.rpc_sync("worker1", same, (sparse,)).to_dense().equal(weft.eye(3))
    assert rpc.rpc_sync("worker1", countdown, (40,)) == 40
    kept = rpc.rpc_async("worker1", same, (x,))
    x.zero_()                           # what was sent is what it was then
    assert kept.wait().sum() == 15
    assert kept.then(lambda done: rpc.rpc_sync("worker1", weft.sum, (done.value(),))).wait() == 15


def errors():
    for how, kind in (("zero", ZeroDivisionError), ("odd", RuntimeError)):
        try:
            rpc.rpc_sync("worker1", fails, (how,))
        except kind as error:
            assert "On WorkerInfo(id=1, name=worker1)" in str(error) and "in fails" in str(error), error
        else:
            raise AssertionError(how)
    for call, kind, said in ((lambda: rpc.rpc_sync("worker1", time.sleep, (3,), timeout=0.2), RuntimeError, "200 ms"),
                             (lambda: rpc.rpc_sync("nobody", same, (1,)), RuntimeError, "destination name nobody"),
                             (lambda: rpc.rpc_sync("worker1", lambda: 1), AttributeError, "pickle"),
                             (lambda: rpc.remote("worker1", fails, (1,)).to_here(), ZeroDivisionError, "in fails"),
                             (lambda: rpc.remote("worker1", Store, (1,)).local_value(), RuntimeError, "non-local"),
                             (lambda: rpc.rpc_sync("worker1", Store, (1,)), TypeError, "pickle")):
        try:
            call()
        except kind as error:
            assert said in str(error), error
        else:
            raise AssertionError(said)


def there():
    return Store.there


def until_none(worker):
    for _ in range(200):
        if rpc.rpc_sync(worker, there) == 0:
            return True
        time.sleep(0.02)
    return False


def references():
    store = rpc.remote("worker1", Store, (5,))
    assert store.rpc_sync().add(2) == 2 and store.rpc_async().sum().wait() == 7 and store.owner_name() == "worker1"
    assert store.remote().sum().to_here() == 7 and not store.is_owner()
    assert ask_further(store.remote().sum(), "worker2") == 7 == rpc.rpc_sync("worker2", ask_further,
                                                                             (store.remote().sum(), "worker1"))
    own = rpc.RRef([1, 2])
    assert rpc.rpc_sync("worker1", ask_further, (own, "worker2")) == [1, 2]
    waits = [rpc.rpc_async(f"worker{1 + i % 2}", ask_full, (store, 5)) for i in range(4)]
    assert weft.futures.wait_all(waits) == ["full"] * 4
    passed = rpc.rpc_sync("worker2", same, (store,))
    del store
    assert passed.rpc_sync().sum() == 7             # what worker2 gave back still holds it
    del passed
    assert until_none("worker1")                    # nobody does


def ask_full(store, count):
    return store.rpc_sync().when_full(count)


class Layer(nn.Module):
    def __init__(self, seed, n_in, n_out):
        super().__init__()
        weft.manual_seed(seed)
        self.inner = nn.Linear(n_in, n_out)

    def forward(self, x):
        return self.inner(x).tanh()

    def refs(self):
        return [rpc.RRef(p) for p in self.parameters()]


def twice(layer, x):
    """Two calls of a module in another worker, from a third."""
    return layer.rpc_sync().forward(layer.rpc_sync().forward(x))


def gradients():
    """A model over three workers, one of them twice in the chain: parameters after steps as those of one process."""
    away, alone = [rpc.remote(f"worker{i}", Layer, (i, 4, 4)) for i in (1, 2)], [Layer(1, 4, 4), Layer(2, 4, 4)]
    head, plain = Layer(3, 4, 2), Layer(3, 4, 2)
    refs = [ref for layer in away for ref in layer.rpc_sync().refs()] + head.refs()
    optimizer = DistributedOptimizer(weft.optim.Adam, refs, lr=0.05)
    together = weft.optim.Adam([p for layer in (*alone, plain) for p in layer.parameters()], lr=0.05)
    for step in range(3):
        weft.manual_seed(10 + step)
        x = weft.randn(5, 4)
        with dist_autograd.context() as number:
            hidden = away[0].rpc_sync().forward(x)
            hidden = rpc.rpc_sync("worker2", twice, (away[1], hidden)) + away[0].rpc_sync().forward(hidden)
            unused = away[1].rpc_sync().forward(hidden)     # not on the way to the loss
            loss = head(hidden).square().sum()
            dist_autograd.backward(number, [loss])
            assert unused.requires_grad and head.inner.weight.grad is None
            optimizer.step(number)
        hidden = alone[0](x)
        hidden = alone[1](alone[1](hidden)) + alone[0](hidden)
        expected = plain(hidden).square().sum()
        together.zero_grad()
        expected.backward()
        together.step()
        assert abs(loss.item() - expected.item()) < 1e-5, (loss, expected)
    for ref, p in zip(refs, together.param_groups[0]["params"]):
        weft.testing.assert_close(ref.to_here(), p, rtol=1e-5, atol=1e-6)
    assert rpc.rpc_sync("worker1", contexts) == 0 or time.sleep(1) or rpc.rpc_sync("worker1", contexts) == 0


def contexts():
    from weft.distributed.rpc import gradients
    return len(gradients._contexts)


def modules():
    net = RemoteModule("worker1/cpu", nn.Linear, args=(3, 2))
    x = weft.ones(4, 3)
    made, later = net(x), net.forward_async(x).wait()
    assert made.equal(later) and net.get_module_rref().to_here()(x).equal(made) and made.requires_grad
    assert rpc.rpc_sync("worker2", len, (net.remote_parameters(),)) == 2
    assert rpc.rpc_sync("worker2", RemoteModule.forward, (net, x)).equal(made)


def meet(rank, port=None, how="well"):
    if port is not None:
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=port)
        rpc.init_rpc(f"worker{rank}", rank=rank, world_size=SIZE)
    else:
        rpc.init_rpc(f"worker{rank}")
    if rank == 0 and how == "kill":
        rpc.rpc_sync("worker1", os._exit, (3,))
    if how == "leave":              # one that waits for nobody is waited for by nobody
        rpc.shutdown(graceful=rank != 2)
        print(f"all right {rank}\n", end="", flush=True)
        return
    if rank == 0:
        for check in (calls, errors, references, gradients, modules):
            check()
        rpc.rpc_async("worker1", fire_and_forget, (30, 2))      # shutdown waits for what calls go on to call
    rpc.shutdown()
    assert rank != 1 or Counted.done
    print(f"all right {rank}\n", end="", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["spawn"]:
        weft.multiprocessing.spawn(meet, args=(sys.argv[2], sys.argv[3]), nprocs=SIZE)
    else:
        meet(int(os.environ["RANK"]), None, *sys.argv[1:])
