"""The exact texts of the errors of misuse: what, where (both lines), what to do. Only line numbers are left out."""
import re
import textwrap
import warnings

import pytest

import weft
from weft import nn
from weft.autograd.numerics import NumericError
from weft.core.cuts import cuts
from weft.nn import functional as F


@pytest.fixture(autouse=True)
def nothing_before():
    """As in a program that has just begun."""
    before = cuts()
    before.off = before.detached = before.taken = before.latest = None
    weft.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.head = nn.Linear(5, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


GOLDEN = []


def golden(kind, text):
    """Register a function that must raise `kind` with this text."""
    def add(function):
        GOLDEN.append(pytest.param(function, kind, textwrap.dedent(text).strip("\n"), id=function.__name__))
        return function
    return add


def check(function, kind, text):
    with pytest.raises(kind) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function()
    found = re.sub(r"test_golden_messages\.py:\d+", "FILE:N", str(caught.value))
    assert found == text
    assert type(caught.value) is kind


# written in place after it was saved

@golden(RuntimeError, """
    one of the variables needed for gradient computation has been modified by an inplace operation: ExpBackward0 saved its output of shape [3] at version 0, and it is at version 1 now
      in  FILE:N: y.sum().backward()
      fix: the value was saved by   FILE:N: y = x.exp()
           and overwritten by       FILE:N: y.add_(1)
           use the out-of-place form there, or clone() the tensor before it is overwritten
""")
def an_output_overwritten():
    x = weft.ones(3, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


@golden(RuntimeError, """
    one of the variables needed for gradient computation has been modified by an inplace operation: LinearBackward0 saved an input of shape [2, 3] at version 0, and it is at version 1 now
      in  FILE:N: out.sum().backward()
      fix: the value was saved by   Linear (Linear(in_features=3, out_features=4, bias=True)), FILE:N: out = net.encoder[0](x)
           and overwritten by       FILE:N: x[0] = 0
           use the out-of-place form there, or clone() the tensor before it is overwritten
""")
def an_input_overwritten_through_a_view():
    net = Net()
    x = weft.ones(2, 3)
    out = net.encoder[0](x)
    x[0] = 0
    out.sum().backward()


@golden(RuntimeError, """
    one of the variables needed for gradient computation has been modified by an inplace operation: SquareBackward saved a tensor of shape [2] at version 0, and it is at version 1 now
      in  FILE:N: saved, = ctx.saved_tensors
      fix: the value was saved by   FILE:N: y = Square.apply(x)
           and overwritten by       FILE:N: x.mul_(2)
           use the out-of-place form there, or clone() the tensor before it is overwritten
""")
def a_tensor_that_a_function_saved_is_overwritten():
    class Square(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            saved, = ctx.saved_tensors
            return 2 * saved * g
    x = weft.ones(2, requires_grad=True) * 1
    y = Square.apply(x)
    x.mul_(2)
    y.sum().backward()


@golden(RuntimeError, """
    add_: a leaf Variable that requires grad is being used in an in-place operation.
      in  FILE:N: x += 1
      fix: write under no_grad(), or use the form without _ and keep its result
""")
def a_leaf_written():
    x = weft.ones(3, requires_grad=True)
    x += 1


@golden(RuntimeError, """
    fill_: a view of a leaf Variable that requires grad is being used in an in-place operation.
      in  FILE:N: x[0] = 1
      fix: write under no_grad(), or clone() the leaf first
""")
def a_view_of_a_leaf_written():
    x = weft.ones(3, requires_grad=True)
    x[0] = 1


# a second backward

@golden(RuntimeError, """
    Trying to backward through the graph a second time: an earlier backward used the values that ExpBackward0 saved, and after they have already been freed they can't be used again
      in  FILE:N: loss = x.exp().sum()
      fix: Specify retain_graph=True in the first backward() or grad(), or compute the loss anew before the second one
""")
def the_same_graph_twice():
    x = weft.ones(2, requires_grad=True)
    loss = x.exp().sum()
    loss.backward()
    loss.backward()


@golden(RuntimeError, """
    Trying to backward through the graph a second time: an earlier backward used the values that RecurrentCellBackward0 saved, and after they have already been freed they can't be used again
      in  RNNCell (RNNCell(2, 3)), FILE:N: state = cell(weft.ones(1, 2), state)
      fix: the tensor that ties this step to the last one
           was made by           RNNCell (RNNCell(2, 3)), FILE:N: state = cell(weft.ones(1, 2), state)
           and is used again by  RNNCell (RNNCell(2, 3)), FILE:N: state = cell(weft.ones(1, 2), state)
           detach() it between the steps; or, if the gradient is to flow through both: Specify retain_graph=True in the first backward() or grad()
""")
def a_state_carried_over():
    cell, state = nn.RNNCell(2, 3), weft.zeros(1, 3)
    for _ in range(2):
        state = cell(weft.ones(1, 2), state)
        loss = state.sum()
        loss.backward()


@golden(RuntimeError, """
    Trying to backward through the graph a second time: an earlier backward used the values that TanhBackward0 saved, and after they have already been freed they can't be used again
      in  FILE:N: fake = generator(weft.ones(1, 2)).tanh()
      fix: the tensor that ties this step to the last one
           was made by           FILE:N: fake = generator(weft.ones(1, 2)).tanh()
           and is used again by  Linear (Linear(in_features=2, out_features=1, bias=True)), FILE:N: (-judge(fake)).sum().backward()
           detach() it between the steps; or, if the gradient is to flow through both: Specify retain_graph=True in the first backward() or grad()
""")
def a_generators_output_used_twice():
    generator, judge = nn.Linear(2, 2), nn.Linear(2, 1)
    fake = generator(weft.ones(1, 2)).tanh()
    judge(fake).sum().backward()
    (-judge(fake)).sum().backward()


@golden(RuntimeError, """
    Trying to backward through the graph a second time: an earlier backward used the values that ExpBackward0 saved, and after they have already been freed they can't be used again
      in  FILE:N: part = x.exp().sum()
      fix: the tensor that ties this step to the last one
           was made by           FILE:N: total = total + part
           and is used again by  FILE:N: total = total + part
           detach() it between the steps; or, if the gradient is to flow through both: Specify retain_graph=True in the first backward() or grad()
""")
def a_total_over_all_steps():
    x, total = weft.ones(2, requires_grad=True), 0.0
    for _ in range(2):
        part = x.exp().sum()
        total = total + part
        total.backward()


# a loss without a graph

@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      the last number that was taken out of a graph was taken in FILE:N: loss = weft.tensor(out.sum().item())
      in  FILE:N: loss.backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_loss_from_item():
    out = nn.Linear(2, 1)(weft.ones(1, 2))
    loss = weft.tensor(out.sum().item())
    loss.backward()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      the last number that was taken out of a graph was taken in FILE:N: loss = weft.tensor(float(out.sum()))
      in  FILE:N: loss.backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_loss_from_float():
    out = nn.Linear(2, 1)(weft.ones(1, 2))
    loss = weft.tensor(float(out.sum()))
    loss.backward()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      the last tensor that left its graph did so in FILE:N: out = nn.Linear(2, 1)(weft.ones(1, 2)).detach()
      in  FILE:N: out.sum().backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_detached_loss():
    out = nn.Linear(2, 1)(weft.ones(1, 2)).detach()
    out.sum().backward()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      the last tensor that left its graph did so in FILE:N: out = nn.Linear(2, 1)(weft.ones(1, 2)).data
      in  FILE:N: out.sum().backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_loss_from_data():
    out = nn.Linear(2, 1)(weft.ones(1, 2)).data
    out.sum().backward()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      grad mode was last switched off in FILE:N: with weft.no_grad():
      in  FILE:N: out.sum().backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_loss_under_no_grad():
    model = nn.Linear(2, 1)
    cuts().off = None       # that of the initialisation
    with weft.no_grad():
        out = model(weft.ones(1, 2))
    out.sum().backward()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      grad mode was last switched off in FILE:N: @weft.no_grad(), and it is off here
      in  FILE:N: model(weft.ones(1, 2)).sum().backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_backward_under_no_grad():
    model = nn.Linear(2, 1)

    @weft.no_grad()
    def step():
        model(weft.ones(1, 2)).sum().backward()
    step()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      the last tensor that left its graph did so in FILE:N: target = model(weft.ones(1, 2)).detach()
      the last number that was taken out of a graph was taken in FILE:N: log = model(weft.ones(1, 2)).sum().item()
      in  FILE:N: (target * log).sum().backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def the_latest_cut_comes_first():
    model = nn.Linear(2, 1)
    cuts().off = None
    log = model(weft.ones(1, 2)).sum().item()
    target = model(weft.ones(1, 2)).detach()
    (target * log).sum().backward()


@golden(RuntimeError, """
    element 0 of tensors does not require grad and does not have a grad_fn
      it is of type torch.int64, through which nothing can be differentiated
      in  FILE:N: nn.Linear(2, 3)(weft.ones(1, 2)).argmax().backward()
      fix: compute it, with grad mode on, from tensors that have requires_grad=True and were not detached
""")
def a_loss_of_integers():
    nn.Linear(2, 3)(weft.ones(1, 2)).argmax().backward()


@golden(RuntimeError, """
    grad can be implicitly created only for scalar outputs, and output 0 has shape [2]
      in  FILE:N: (x * 2).backward()
      fix: reduce it first, for example with .sum() or .mean(), or give the gradient of the output
""")
def a_loss_that_is_no_scalar():
    x = weft.ones(2, requires_grad=True)
    (x * 2).backward()


@golden(RuntimeError, """
    The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.
      in  FILE:N: weft.autograd.grad(x.sum(), y)
      fix: check that the outputs are computed from that very tensor, not from a copy, a detached one or a later version of it
""")
def an_unused_input():
    x, y = weft.ones(2, requires_grad=True), weft.ones(2, requires_grad=True)
    weft.autograd.grad(x.sum(), y)


# shapes, with the module's path

@golden(RuntimeError, """
    linear: the input has 4 features, the weight takes 5
      in  Net.head (Linear(in_features=5, out_features=2, bias=True)), FILE:N: return self.head(self.encoder(x))
      fix: make the layer Linear(4, 2), or give it 5 features
""")
def features_that_do_not_fit():
    Net()(weft.ones(2, 3))


@golden(RuntimeError, """
    add: shapes [2, 3], [2, 4] cannot be broadcast together: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1
      in  FILE:N: weft.ones(2, 3) + weft.ones(2, 4)
      fix: reshape or expand one of them
""")
def shapes_that_do_not_broadcast():
    weft.ones(2, 3) + weft.ones(2, 4)


class Wrapped(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.block = nn.Sequential(layer)

    def forward(self, x):
        return self.block(x)


@golden(RuntimeError, """
    Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 1, 8, 8] to have 3 channels, but got 1 channels instead
      in  Wrapped.block.0 (Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))), FILE:N: return self.block(x)
      fix: give the input 3 channels, or make the weight for 1
""")
def channels_that_do_not_fit():
    Wrapped(nn.Conv2d(3, 4, 3))(weft.ones(1, 1, 8, 8))


@golden(RuntimeError, """
    running_mean should contain 3 elements not 4
      in  Wrapped.block.0 (BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)), FILE:N: return self.block(x)
      fix: the input [2, 3] has 3 channels: make the layer for 3
""")
def a_batch_norm_for_other_channels():
    Wrapped(nn.BatchNorm1d(4))(weft.ones(2, 3))


@golden(RuntimeError, """
    Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]
      in  Wrapped.block.0 (LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)), FILE:N: return self.block(x)
      fix: make normalized_shape [3], or give it an input that ends with [4]
""")
def a_layer_norm_for_another_shape():
    Wrapped(nn.LayerNorm(4))(weft.ones(2, 3))


@golden(IndexError, """
    embedding: index out of range in self: 5, and the table has 4 rows
      in  Wrapped.block.0 (Embedding(4, 2)), FILE:N: return self.block(x)
      fix: indices go from 0 to 3
""")
def an_index_beyond_the_table():
    Wrapped(nn.Embedding(4, 2))(weft.tensor([5]))


@golden(RuntimeError, """
    input.size(-1) must be equal to input_size. Expected 3, got 2
      in  Wrapped.block.0 (LSTM(3, 4)), FILE:N: return self.block(x)
      fix: make the layer LSTM(2, 4), or give it 3 features
""")
def a_recurrent_layer_for_other_features():
    Wrapped(nn.LSTM(3, 4))(weft.ones(5, 2, 2))


@golden(RuntimeError, """
    mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
      in  FILE:N: weft.ones(2, 3) @ weft.ones(2, 3)
      fix: transpose the second one (.T)
""")
def matrices_that_do_not_fit():
    weft.ones(2, 3) @ weft.ones(2, 3)


@golden(RuntimeError, """
    cat: Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 in the list: the shapes are [2, 3] and [2, 4].
      in  FILE:N: weft.cat([weft.ones(2, 3), weft.ones(2, 4)])
      fix: join along dim=1, where they fit
""")
def tensors_that_can_not_be_joined():
    weft.cat([weft.ones(2, 3), weft.ones(2, 4)])


@golden(RuntimeError, """
    shapes [2, 3], [4] cannot be broadcast together: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1
      in  FILE:N: F.mse_loss(weft.ones(2, 3), weft.ones(4))
      fix: reshape or expand one of them
""")
def a_loss_of_two_shapes():
    F.mse_loss(weft.ones(2, 3), weft.ones(4))


@golden(RuntimeError, """
    shape '[7]' is invalid for input of size 6
      in  FILE:N: weft.ones(2, 3).view(7)
      fix: give sizes whose product is 6, or -1 for one of them
""")
def a_view_of_another_size():
    weft.ones(2, 3).view(7)


@golden(ValueError, """
    cross_entropy: Expected input batch_size (2) to match target batch_size (1).
      in  FILE:N: F.cross_entropy(weft.ones(2, 3), weft.tensor([0]))
      fix: give one class index for each example
""")
def targets_for_another_batch():
    F.cross_entropy(weft.ones(2, 3), weft.tensor([0]))


# errors inside a backward carry the forward line

@golden(ValueError, """
    no luck
      in the backward of BadBackward, made by FILE:N: Bad.apply(weft.ones(1, requires_grad=True)).sum().backward()
""")
def an_error_in_a_custom_backward():
    class Bad(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("no luck")
    Bad.apply(weft.ones(1, requires_grad=True)).sum().backward()


@golden(ValueError, """
    not today
      in the backward of ExpBackward0, made by FILE:N: y = x.exp()
""")
def an_error_in_a_hook():
    def hook(grad):
        raise ValueError("not today")
    x = weft.ones(1, requires_grad=True)
    y = x.exp()
    y.register_hook(hook)
    y.sum().backward()


@golden(RuntimeError, """
    Function 'SqrtBackward0' returned nan values in its 0th output.
      in  FILE:N: loss = (x.sqrt() * 0).sum()
      fix: look at the inputs of that line: log(0), 0/0, sqrt at 0 or an overflow
""")
def anomaly_mode():
    x = weft.zeros(2, requires_grad=True)
    with weft.autograd.set_detect_anomaly(True):
        loss = (x.sqrt() * 0).sum()
        loss.backward()


@golden(NumericError, """
    log made Inf: 1 of 2 values, first at [1]
      in  FILE:N: weft.tensor([1.0, 0.0]).log()
      input: input [2] float32, 0 .. 1; 0 there
      fix: keep its inputs away from where it has no finite value (clamp, a small epsilon, a smaller learning rate)
""")
def a_number_gone_wrong():
    with weft.check_numerics():
        weft.tensor([1.0, 0.0]).log()


@pytest.mark.parametrize("function, kind, text", GOLDEN)
def test_messages(function, kind, text):
    check(function, kind, text)


@pytest.mark.skipif(not hasattr(Exception, "add_note"), reason="notes came with Python 3.11")
@pytest.mark.parametrize("error", [KeyError("name"), ZeroDivisionError(), LookupError(3)])
def test_errors_without_a_text_get_a_note(error):
    class Bad(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise error
    y = Bad.apply(weft.ones(1, requires_grad=True))
    with pytest.raises(type(error)) as caught:
        y.backward()
    assert re.fullmatch(r"  in the backward of BadBackward, made by test_golden_messages.py:\d+: y = Bad.apply\(.*",
                        caught.value.__notes__[0])
