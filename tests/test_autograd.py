"""backward and grad: leaves, orders, modes, errors that name lines, threads, memory."""
import threading
import weakref

import numpy as np
import pytest
from cycles import leaves_cycles

import weft
from weft.autograd import functional, gradcheck, gradgradcheck


def leaf(values=(1., 2., 3.), dtype=weft.float64):
    return weft.tensor(list(values), dtype=dtype, requires_grad=True)


def message(error):
    return str(error.value)


def here(error, text):
    """Whether the message shows the source line that holds `text`."""
    return text in message(error) and "test_autograd.py:" in message(error)


# values

def test_gradients_accumulate():
    x = leaf()
    (x * x).sum().backward()
    (x * 2).sum().backward()
    assert np.array_equal(x.grad._array, [4, 6, 8])


def test_grad_to_fifth_order():
    x = leaf([1., 2.])
    y = (x ** 5).sum()
    for order, factor in enumerate((5, 20, 60, 120, 120), 1):
        y, = weft.autograd.grad(y.sum(), x, create_graph=True)
        assert np.allclose(y._array, factor * x._array ** (5 - order))


def test_leaf_in_many_places():
    x = leaf()
    y = x * x + x
    (y * y + x).sum().backward()
    v = x._array
    assert np.allclose(x.grad._array, 2 * (v * v + v) * (2 * v + 1) + 1)


def test_backward_leaves_no_graph_in_grad():
    x = leaf()
    (x * x).sum().backward()
    assert not x.grad.requires_grad and x.grad.is_leaf


def test_grad_of_reached_and_unreached():
    x, z = leaf(), leaf()
    y = (x * 2).sum()
    assert weft.autograd.grad(y, [x, z], allow_unused=True, retain_graph=True)[1] is None
    zeros = weft.autograd.grad(y, [x, z], materialize_grads=True)[1]
    assert np.array_equal(zeros._array, [0, 0, 0])


def test_batched_grads_are_rows():
    x = leaf()
    rows, = weft.autograd.grad(x * x, x, weft.tensor(np.eye(3)), is_grads_batched=True)
    assert np.allclose(rows._array, np.diag(2 * x._array))


# errors

def test_second_backward_names_the_line_that_ties():
    x = leaf()
    tied = (x * x).sum()
    tied.backward()
    with pytest.raises(RuntimeError, match="a second time") as error:
        (tied * 2).backward()
    assert here(error, "tied = (x * x).sum()") and "retain_graph=True" in message(error)


def test_loss_without_graph_names_detach():
    x = leaf()
    cut = (x * x).detach()
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn") as error:
        cut.sum().backward()
    assert here(error, "cut = (x * x).detach()")


def test_loss_without_graph_names_no_grad():
    x = leaf()
    with weft.no_grad():
        y = x * x
    with pytest.raises(RuntimeError, match="does not require grad") as error:
        y.sum().backward()
    assert here(error, "with weft.no_grad():")


def test_integer_loss_says_so():
    with pytest.raises(RuntimeError, match="int64"):
        weft.tensor(3).backward()


ERRORS = [
    (lambda x: (x * 2).backward(), RuntimeError, r"implicitly created only for scalar outputs.*\[3\]"),
    (lambda x: weft.autograd.grad(x * 2, x, weft.ones(2)), RuntimeError, r"Mismatch in shape: grad_output\[0\]"),
    (lambda x: weft.autograd.grad(x.sum(), [x, leaf()]), RuntimeError,
     "not have been used in the graph. Set allow_unused=True"),
    (lambda x: weft.autograd.grad(x.sum(), weft.ones(3)), RuntimeError,
     "One of the differentiated Tensors does not require grad"),
    (lambda x: x.sum().backward(inputs=[]), RuntimeError, "cannot be empty"),
    (lambda x: weft.autograd.grad(x.sum(), []), RuntimeError, "cannot be empty"),
    (lambda x: (x * 2).sum().backward(3), TypeError, "Tensors or None"),
    (lambda x: weft.autograd.grad(x.sum(), [x], allow_unused=False, materialize_grads=True), ValueError,
     "materialize_grads"),
    (lambda x: (x * (1 + 1j)).sum().backward(), RuntimeError, "real scalar outputs but got"),
    (lambda x: (x * 2).requires_grad_(False), RuntimeError, "leaf variables"),
    (lambda x: weft.ones(3, dtype=weft.int64).requires_grad_(), RuntimeError,
     "floating point dtype can require gradients"),
    (lambda x: (x * 2)[0].detach_(), RuntimeError, "Can't detach views in-place"),
    (lambda x: setattr(x, "grad", weft.ones(2)), RuntimeError, "size"),
    (lambda x: setattr(x, "grad", 3), TypeError, "expected to be a Tensor or None"),
    (lambda x: setattr(x, "grad", x), RuntimeError, "own grad"),
    (lambda x: setattr(x, "data", 3), TypeError, "has to be a tensor"),
    (lambda x: setattr(x, "requires_grad", 1), RuntimeError, "must be a bool"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    call, kind, text = ERRORS[number]
    with pytest.raises(kind, match=text):
        call(leaf())


def test_error_inside_backward_carries_the_forward_line():
    class Broken(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_out):
            raise ValueError("no idea")
    y = Broken.apply(leaf())
    with pytest.raises(ValueError, match="no idea") as error:
        y.sum().backward()
    assert here(error, "y = Broken.apply(leaf())")


def test_anomaly_names_the_line():
    x = leaf([0.])
    with weft.autograd.set_detect_anomaly(True):
        bad = x.sqrt()
        with pytest.raises(RuntimeError, match="returned nan values in its 0th output") as error:
            (bad * 0).sum().backward()
    assert here(error, "bad = x.sqrt()")
    (x.sqrt() * 0).sum().backward()


def test_anomaly_is_scoped():
    from weft.autograd import anomaly
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        mode = weft.autograd.detect_anomaly()
    with mode:
        assert anomaly.is_anomaly_enabled()
        with weft.no_grad():
            weft.autograd.set_detect_anomaly(False)
        assert not anomaly.is_anomaly_enabled()
    assert not anomaly.is_anomaly_enabled()


# modes

def test_modes_are_per_thread():
    found = []
    with weft.no_grad():
        worker = threading.Thread(target=lambda: found.append(weft.is_grad_enabled()))
        worker.start()
        worker.join()
    assert found == [True]


def test_decorated_generator_switches_with_its_consumer():
    @weft.no_grad()
    def numbers():
        for _ in range(2):
            yield weft.is_grad_enabled()
    flags = []
    for flag in numbers():
        flags += [flag, weft.is_grad_enabled()]
    assert flags == [False, True, False, True]


def test_mode_is_restored_after_an_error():
    with pytest.raises(ZeroDivisionError), weft.no_grad():
        1 / 0
    x = leaf([0.])
    with pytest.raises(RuntimeError):
        x.backward(weft.ones(2))
    assert weft.is_grad_enabled()


def test_inference_tensors():
    with weft.inference_mode():
        y = leaf() * 2
        assert y.is_inference() and weft.is_inference_mode_enabled()
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        y.requires_grad_()
    with pytest.raises(RuntimeError, match="[Ii]nplace update to inference tensor"):
        y.add_(1)
    assert not (y + 1).is_inference()


# threads

def test_threads_share_leaves():
    w = leaf()
    n_threads, n_steps = 4, 50

    def work():
        for _ in range(n_steps):
            (w * 2).sum().backward()
    workers = [threading.Thread(target=work) for _ in range(n_threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert np.array_equal(w.grad._array, np.full(3, 2. * n_threads * n_steps))


def test_backward_inside_backward():
    class Inner(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_out):
            with weft.enable_grad():
                own = ctx.saved_tensors[0].detach().requires_grad_()
                (own * own).sum().backward()
            return grad_out * own.grad
    x = leaf()
    Inner.apply(x * 2).sum().backward()
    assert np.allclose(x.grad._array, 8 * x._array)


# memory

def test_a_long_chain_runs_and_is_freed():
    x = leaf([1.])
    y = x
    for _ in range(30_000):
        y = y * 1.0
    y.backward()
    assert x.grad.item() == 1
    z = x
    for _ in range(30_000):
        z = z + 1.0
    gone = weakref.ref(z.grad_fn)
    del y, z
    assert gone() is None


def plain_step(x, w):
    (x * w).exp().sum().backward()


def second_order_step(x, w):
    g, = weft.autograd.grad((x * x * w).sum(), x, create_graph=True)
    weft.autograd.grad(g.sum(), [x, w])


def view_step(x, w):
    h = x * 1
    part = h[1:]
    part.mul_(2)
    part[0] = w[0]
    h.mul_(w)
    (h * h).sum().backward()


def hook_step(x, w):
    h = x * w
    h.retain_grad()
    h.register_hook(lambda g: g * 2)
    h.grad_fn.register_hook(lambda grads, outs: None)
    h.sum().backward()


def saved_hook_step(x, w):
    with weft.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = (x * w).exp()
    y.sum().backward()


def failing_step(x, w):
    h = x * 1
    y = (h * h).sum()
    h.add_(w)
    try:
        y.backward()
    except RuntimeError:
        pass


def forward_only_step(x, w):
    h = x * 1
    h[1:].mul_(w[1:])
    h.exp_()
    return None


@pytest.mark.parametrize("step", [plain_step, second_order_step, view_step, hook_step, saved_hook_step, failing_step,
                                  forward_only_step],
                         ids=lambda f: f.__name__)
def test_no_reference_cycles(step):
    x, w = leaf(), leaf()
    assert not leaves_cycles(lambda: step(x, w))


def test_backward_frees_what_was_saved():
    x = leaf()
    h = x * 2
    y = (h * h).sum()
    saved = weakref.ref(h)
    del h
    assert saved() is not None
    y.backward()
    assert saved() is None


def test_grad_is_not_the_callers_gradient():
    x = leaf()
    given = weft.ones(3, dtype=weft.float64)
    (x + 0).backward(given)
    x.grad.mul_(5)
    assert np.array_equal(given._array, [1, 1, 1])


# the graph as an object

def test_walking_the_graph():
    x = leaf()
    y = (x * 2).sum()
    node, number = y.grad_fn.next_functions[0]
    assert node.name() == "MulBackward0" and number == 0 and "test_autograd.py" in node.line
    accumulate = node.next_functions[0][0]
    assert accumulate.variable is x and accumulate.name() == "torch::autograd::AccumulateGrad"
    assert isinstance(node, weft.autograd.graph.Node)


def test_edges_stand_for_tensors():
    x = leaf()
    h = x * 2
    y = (h * h).sum()
    edge = weft.autograd.graph.get_gradient_edge(h)
    assert np.allclose(weft.autograd.grad(y, edge, retain_graph=True)[0]._array, 2 * h._array)
    assert np.allclose(weft.autograd.grad(y, weft.autograd.graph.get_gradient_edge(x))[0]._array, 8 * x._array)


# checking gradients

def test_gradcheck_finds_right_and_wrong():
    class Wrong(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_out):
            return grad_out * ctx.saved_tensors[0]
    x = leaf()
    for fast in (False, True):
        assert gradcheck(lambda x: (x * x, x.sum()), (x,), fast_mode=fast)
        assert not gradcheck(Wrong.apply, (x,), raise_exception=False, fast_mode=fast)
        with pytest.raises(weft.autograd.GradcheckError,
                           match="Jacobian mismatch for output 0 with respect to input 0"):
            gradcheck(Wrong.apply, (x,), fast_mode=fast)
    assert gradgradcheck(lambda x: x * x * x, (x,))


def test_gradcheck_of_complex_numbers():
    z = weft.tensor([1 + 2j, -0.5 + 1j], dtype=weft.complex128, requires_grad=True)
    x = leaf([1., 2.])
    assert gradcheck(lambda z, x: (z * z.conj() * x, z * z, (z * x).real), (z, x))
    assert gradcheck(lambda z, x: z * z * x, (z, x), fast_mode=True)
    assert gradgradcheck(lambda z, x: z * z * x, (z, x))


def test_gradcheck_wants_gradients():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, (weft.ones(2),))
    with pytest.raises(RuntimeError, match="stride 0"):
        gradcheck(lambda x: x * 2, (weft.ones(1, dtype=weft.float64).expand(3).requires_grad_(),))


def test_gradcheck_of_constants():
    x = leaf()
    assert gradcheck(lambda x: (x > 0).long(), (x,))
    with pytest.raises(weft.autograd.GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, (x,))


# functions of functions

def test_jacobian_and_hessian():
    x = weft.tensor([1., 2.], dtype=weft.float64)
    assert np.allclose(functional.jacobian(lambda a: a * a, x)._array, np.diag([2, 4]))
    assert np.allclose(functional.hessian(lambda a: (a ** 3).sum(), x)._array, np.diag([6, 12]))
    blocks = functional.hessian(lambda a, b: (a * a * b).sum(), (x, x))
    assert np.allclose(blocks[0][1]._array, np.diag([2, 4])) and np.allclose(blocks[1][1]._array, 0)


def test_products():
    x, v = weft.tensor([1., 2.], dtype=weft.float64), weft.tensor([1., 10.], dtype=weft.float64)
    for product in (functional.vjp, functional.jvp):
        out, found = product(lambda a: a * a, x, v)
        assert np.allclose(found._array, [2, 40]) and not found.requires_grad
    for product in (functional.vhp, functional.hvp):
        out, found = product(lambda a: (a ** 3).sum(), x, v)
        assert np.allclose(found._array, [6, 120]) and np.allclose(out._array, 9)


def test_strict_refuses_independence():
    x = weft.ones(2)
    with pytest.raises(RuntimeError, match="independent of input 1"):
        functional.jacobian(lambda a, b: a * 2, (x, x), strict=True)
    with pytest.raises(RuntimeError, match="does not require gradients"):
        functional.vjp(lambda a: weft.ones(1), x, strict=True)


# faults that PyTorch's own tests found

def test_grad_takes_only_inputs_where_torch_has_it():
    x = leaf()
    found, = weft.autograd.grad((x * x).sum(), x, None, None, True, True, True)
    assert found.requires_grad and np.allclose(found.detach()._array, 2 * x._array)
    assert weft.autograd.grad((x * x).sum(), x, only_inputs=True, retain_graph=True)[0].tolist() == [2, 4, 6]


def test_grad_of_a_dict_is_a_dict():
    a, b = leaf(), leaf()
    found = weft.autograd.grad((a * b).sum(), {"a": a, 1: b})
    assert list(found) == ["a", 1] and found["a"].tolist() == b.tolist() and found[1].tolist() == a.tolist()
    (a * b).sum().backward(inputs={"b": b})
    assert a.grad is None and b.grad.tolist() == a.tolist()


def test_materialized_zeros_can_be_differentiated_again():
    x = leaf()
    first, = weft.autograd.grad(x.sum() * leaf().sum(), x, create_graph=True)
    second, = weft.autograd.grad(first.sum(), x, create_graph=True, materialize_grads=True)
    third, = weft.autograd.grad(second.sum(), x, materialize_grads=True)
    assert second.tolist() == third.tolist() == [0, 0, 0] and not third.requires_grad


def test_an_edge_of_a_scalar_needs_no_gradient():
    x = leaf()
    edge = weft.autograd.graph.get_gradient_edge((x * x).sum())
    assert weft.autograd.grad(edge, x)[0].tolist() == [2, 4, 6]
    wide = weft.autograd.graph.get_gradient_edge(x * x)
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        weft.autograd.grad(wide, x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        weft.autograd.grad(wide, x, weft.ones(2, dtype=weft.float64))


def test_gradcheck_calls_the_function_with_grad_mode_on():
    def needs_hooks(x):
        y = x.clone()
        y.register_hook(lambda g: g)
        return y * y
    assert gradcheck(needs_hooks, (leaf(),))
    with pytest.raises(AssertionError, match="same shape"):
        gradcheck(lambda x: x[:2] * 1 if x[0] > 1 else x * 1, (leaf(),))


def test_a_batch_of_gradients_of_the_wrong_shape():
    x = leaf()
    with pytest.raises(RuntimeError, match="is_grads_batched=True"):
        weft.autograd.grad(x * 2, x, weft.ones(3, dtype=weft.float64), is_grads_batched=True)


def test_a_loss_without_graph_names_the_latest_cut_first():
    x = leaf()
    x.exp().detach()
    with weft.no_grad():
        loss = x.sum()
    with pytest.raises(RuntimeError) as error:
        loss.backward()
    assert message(error).index("with weft.no_grad():") < message(error).index("x.exp().detach()")
    with pytest.raises(RuntimeError) as error:
        x.argmax().backward()
    assert "torch.int64" in message(error) and "detach()" not in message(error)


def test_backward_asks_a_subclass():
    class Loud(weft.Tensor):
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})
    x = leaf().detach().as_subclass(Loud).requires_grad_()
    loss = (x * x).sum()
    Loud.seen.clear()
    loss.backward()
    assert Loud.seen == [weft.Tensor.backward] and x.grad.tolist() == [2, 4, 6]
    loss = (x * x).sum()
    Loud.seen.clear()
    weft.autograd.backward(loss)
    assert Loud.seen == [weft.autograd.backward] and x.grad.tolist() == [4, 8, 12]


def made_in_inference_mode():
    with weft.inference_mode():
        return weft.ones(2, 3)


@pytest.mark.parametrize("use", [
    lambda i, p: i * p, lambda i, p: weft.nn.functional.linear(i, p), lambda i, p: (p * 1).mul_(i),
    lambda i, p: weft.einsum("ij,kj->ik", i, p), lambda i, p: weft.linalg.multi_dot([i, p.T])])
def test_an_inference_tensor_was_saved_for_backward(use):
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        use(made_in_inference_mode(), weft.ones(2, 3, requires_grad=True))


def test_an_inference_tensor_that_needs_no_saving_joins_a_graph():
    p = weft.ones(2, 3, requires_grad=True)
    (made_in_inference_mode() + p).sum().backward()
    assert p.grad.tolist() == [[1.0] * 3] * 2


def test_a_function_saved_an_inference_tensor():
    class Keep(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x, p):
            ctx.save_for_backward(x)
            return x + p
    with pytest.raises(RuntimeError, match="Keep: Inference tensors"):
        Keep.apply(made_in_inference_mode(), weft.ones(2, 3, requires_grad=True))
    assert Keep.apply(made_in_inference_mode(), weft.ones(2, 3)).sum() == 12


@pytest.mark.parametrize("write", [
    lambda i: i.add_(1), lambda i: i[0].add_(1), lambda i: i.view(6).zero_(), lambda i: i.__setitem__(0, 1),
    lambda i: i.t_(), lambda i: i.unsqueeze_(0), lambda i: i.resize_(6), lambda i: i.split(1)[0].add_(1),
    lambda i: weft.add(weft.ones(2, 3), 1, out=i), lambda i: i.copy_(weft.ones(2, 3))])
def test_an_inference_tensor_was_written_to_outside(write):
    i = made_in_inference_mode()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        write(i)
    assert i.shape == (2, 3) and i.sum() == 6
    with weft.inference_mode():
        write(i)


def test_a_view_is_an_inference_tensor_as_its_source_is():
    x, i = weft.ones(2, 3), made_in_inference_mode()
    with weft.inference_mode():
        inside = [x[0], x.view(6), x.T, x.expand(2, 2, 3), x.split(1)[0]]
        assert (x * 2).is_inference() and x.to(weft.float64).is_inference()
    assert not any(v.is_inference() for v in inside) and all(v._is_view() for v in inside)
    outside = [i[0], i.view(6), i.T, i.split(1)[0], i.unbind()[0]]
    assert all(v.is_inference() for v in outside) and not any(v._is_view() for v in outside)
    assert not (i * 2).is_inference() and not i.clone().is_inference()
    inside[1].add_(1)
    assert x.sum() == 12


def test_a_view_made_in_inference_mode_was_written_through_in_a_graph():
    x = weft.ones(2, 3, requires_grad=True) * 1
    with weft.inference_mode():
        view = x.view(6)
    with pytest.raises(RuntimeError, match="A view was created in inference mode"):
        view.add_(1)


def test_enable_grad_inside_inference_mode_records_nothing():
    p = weft.ones(2, requires_grad=True)
    with weft.inference_mode(), weft.enable_grad():
        assert not (p * 2).requires_grad and not p.exp().requires_grad and not p.sum().requires_grad


def test_an_inference_tensor_became_a_parameter():
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        weft.nn.Parameter(made_in_inference_mode())
    with pytest.raises(RuntimeError, match="do not track version counter"):
        made_in_inference_mode()._version


def test_only_the_gradients_that_lead_to_the_inputs_are_computed():
    x, w = weft.randn(2, 3, 5, requires_grad=True), weft.randn(4, 3, 3, requires_grad=True)
    y = weft.nn.functional.conv1d(x, w).tanh().sum()

    def convolutions(inputs):
        with weft.profiler.profile() as profile:
            found = weft.autograd.grad(y, inputs, retain_graph=True)
        return found, sum(e.count for e in profile.key_averages() if e.key == "aten::convolution_backward")
    both, two = convolutions((x, w))
    for i, one in enumerate((x, w)):
        found, count = convolutions((one,))
        assert count == 1 and weft.equal(found[0], both[i])
    assert two == 2


def test_a_joint_rule_is_told_which_inputs_are_wanted():
    layer, x = weft.nn.LayerNorm(4), weft.randn(3, 4, requires_grad=True)
    y = (layer(x) * weft.arange(12.0).view(3, 4)).sum()
    both = weft.autograd.grad(y, (x, layer.weight, layer.bias), retain_graph=True)
    for wanted, one in zip(both, (x, layer.weight, layer.bias)):
        assert weft.equal(weft.autograd.grad(y, one, retain_graph=True)[0], wanted)
    y.backward(inputs=[layer.weight])
    assert x.grad is None and layer.bias.grad is None and weft.equal(layer.weight.grad, both[1])


def test_the_gradient_of_a_leaf_that_is_expanded():
    """Its strides are 0, and its gradient's were too: all elements got the last one's."""
    x = weft.zeros(1).expand(4).requires_grad_()
    for count in (1, 2):
        (x * weft.arange(4.0)).sum().backward()
        assert x.is_leaf and x.grad.tolist() == [0, count, 2 * count, 3 * count]
