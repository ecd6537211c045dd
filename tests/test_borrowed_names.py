"""Names from inside PyTorch that programs, packages and PyTorch's own tests borrow: each does what it says."""
import importlib
import math
import weakref

import pytest

import weft
import weft.nn.functional as F
from weft import nn

# torch.nn.functional's steps

def test_attention_steps_of_functional():
    q, k = weft.randn(5, 2, 4), weft.randn(3, 2, 4)
    w, b = weft.randn(12, 4), weft.randn(12)
    for query, key, value in ((q, q, q), (q, k, k), (q, k, k.clone())):
        made = F._in_projection_packed(query, key, value, w, b)
        single = F._in_projection(query, key, value, *w.chunk(3), *b.chunk(3))
        for a, other in zip(made, single):
            weft.testing.assert_close(a, other)
    assert F._mha_shape_check(q, k, k, None, None, 2) is True
    assert F._mha_shape_check(q[:, 0], k[:, 0], k[:, 0], None, None, 2) is False
    with pytest.raises(AssertionError, match="expecting key weights shape"):
        F._in_projection(q, k, k, *w.chunk(3)[:1], w[:3], w[:4])


def test_canonical_mask_of_functional():
    mask = F._canonical_mask(weft.tensor([True, False]), "attn_mask", None, "", weft.float64)
    assert mask.tolist() == [-math.inf, 0] and mask.dtype == weft.float64
    given = weft.tensor([0.5])
    assert F._canonical_mask(given, "attn_mask", None, "", weft.float64) is given
    assert F._canonical_mask(None, "attn_mask", None, "", weft.float64) is None
    with pytest.warns(UserWarning, match="mismatched"):
        F._canonical_mask(given, "attn_mask", weft.bool, "key_padding_mask", weft.float32)
    with pytest.raises(AssertionError, match="only bool and floating"):
        F._canonical_mask(weft.tensor([1]), "attn_mask", None, "", weft.float32)
    assert F._none_or_dtype(None) is None and F._none_or_dtype(given) == weft.float32


def test_functional_has_what_pytorch_s_file_has_besides():
    assert F.Tensor is weft.Tensor and F.torch is weft and F._pair(2) == (2, 2)
    assert not F.has_torch_function((weft.ones(1),))
    pick = F.boolean_dispatch("flag", 1, False, lambda x, flag=False: ("yes", x), lambda x, flag=False: ("no", x), "m",
                              "pick")
    assert pick(1) == ("no", 1) and pick(1, True) == pick(1, flag=True) == ("yes", 1) and pick.__name__ == "pick"
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        F._verify_batch_size((1, 3))
    F._verify_batch_size((1, 3, 2))


# torch's compiled list

def test_older_losses_take_numbers_for_the_reduction():
    x, y = weft.randn(4, 3), weft.rand(4, 3)
    for number, word in enumerate(("none", "mean", "sum")):
        assert weft.equal(weft.kl_div(x, y, number), F.kl_div(x, y, reduction=word))
        assert weft.equal(weft.poisson_nll_loss(x, y, True, True, 1e-8, number),
                          F.poisson_nll_loss(x, y, full=True, reduction=word))
        assert weft.equal(weft.binary_cross_entropy_with_logits(x, y, None, y, number),
                          F.binary_cross_entropy_with_logits(x, y, pos_weight=y, reduction=word))


@pytest.mark.parametrize("reduce, wanted, gradient", [
    ("sum", [3.0, 0.0, 7.0], [1, 1, 3, 3, 3]), ("mean", [1.5, math.nan, 7 / 3], [0.5, 0.5, 1, 1, 1]),
    ("prod", [2.0, 1.0, 8.0], [2, 1, 12, 6, 24]), ("max", [2.0, -math.inf, 4.0], [0, 1, 0, 0, 3]),
    ("min", [1.0, math.inf, 1.0], [1, 0, 0, 0, 3])])
def test_segment_reduce(reduce, wanted, gradient):
    values = [1.0, 2.0, 2.0, 4.0, 1.0]
    if reduce == "max":
        values[3:] = [1.0, 4.0]
    x = weft.tensor(values, requires_grad=True)
    out = weft.segment_reduce(x, reduce, lengths=weft.tensor([2, 0, 3]))
    weft.testing.assert_close(out, weft.tensor(wanted), equal_nan=True)
    assert weft.allclose(weft.segment_reduce(x, reduce, offsets=weft.tensor([0, 2, 2, 5])), out, equal_nan=True)
    (out[0] + 3 * out[2]).backward()
    weft.testing.assert_close(x.grad, weft.tensor(gradient, dtype=weft.float32))


def test_segment_reduce_along_a_later_axis_and_its_errors():
    x = weft.arange(8.0).reshape(2, 4)
    lengths = weft.tensor([[1, 3], [4, 0]])
    assert weft.segment_reduce(x, "sum", lengths=lengths, axis=1).tolist() == [[0, 6], [22, 0]]
    assert weft.segment_reduce(x, "mean", lengths=lengths, axis=1, initial=0).tolist() == [[0, 2], [5.5, 0]]
    with pytest.raises(RuntimeError, match="sum to"):
        weft.segment_reduce(x, "sum", lengths=weft.tensor([1]))
    with pytest.raises(RuntimeError, match="negative"):
        weft.segment_reduce(x, "sum", lengths=weft.tensor([3, -1]))
    with pytest.raises(RuntimeError, match="Either lengths or offsets"):
        weft.segment_reduce(x, "sum")


def test_conv_tbc_is_a_convolution_over_time():
    x, w, b = weft.randn(6, 2, 3), weft.randn(3, 3, 4), weft.randn(4)
    wanted = F.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=1).permute(2, 0, 1)
    made = weft.conv_tbc(x, w, b, 1)
    assert made.shape == (6, 2, 4) and made.is_contiguous()
    weft.testing.assert_close(made, wanted)


def test_what_programs_borrow_from_the_compiled_list():
    x = weft.randn(3, 4)
    assert weft.equal(weft._softmax(x, 1, False), x.softmax(1))
    assert weft._log_softmax(x.half(), 1, True).dtype == weft.float32
    layer = nn.utils.weight_norm(nn.Linear(4, 3))
    weft.testing.assert_close(weft._weight_norm(layer.weight_v, layer.weight_g, 0), layer.weight)
    values, inverse, counts = weft._unique2(weft.tensor([2, 1, 2]), True, False, True)
    assert values.tolist() == [1, 2] and counts.tolist() == [1, 2] and inverse.numel() == 0
    a = weft.full((2, 300), 127, dtype=weft.int8)
    assert weft._int_mm(a, a.T)[0, 0].item() == 127 * 127 * 300
    assert weft.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (weft.tensor(0), weft.ones(1)))[1].item() == 8
    assert weft._VF.lstm is weft.lstm
    assert weft._cast_Long(weft.tensor([1.7])).dtype == weft.int64 and weft._cast_Float(a).dtype == weft.float32
    assert weft.cuda._initialized is False


# parameters that stay the same objects

@pytest.fixture
def same_objects():
    weft.__future__.set_swap_module_params_on_conversion(True)
    yield
    weft.__future__.set_swap_module_params_on_conversion(False)


def test_swap_tensors_exchanges_all_that_they_are():
    a, b = nn.Parameter(weft.zeros(2)), weft.ones(3, dtype=weft.float64)
    a.mark, a.grad = 1, weft.ones(2)
    weft.utils.swap_tensors(a, b)
    assert type(a) is weft.Tensor and type(b) is nn.Parameter
    assert a.dtype == weft.float64 and not a.requires_grad and b.requires_grad and b.grad.shape == (2,) and b.mark == 1
    assert not hasattr(a, "mark")
    (b * 3).sum().backward()
    assert b.grad.tolist() == [4, 4]
    kept = weakref.ref(a)
    with pytest.raises(RuntimeError, match="weakref"):
        weft.utils.swap_tensors(a, b)
    assert kept() is a


def test_conversions_and_loading_keep_the_parameters_objects(same_objects):
    layer = nn.Linear(2, 2)
    weight = layer.weight
    weight.grad = weft.ones(2, 2)
    layer.double()
    assert layer.weight is weight and weight.dtype == weight.grad.dtype == weft.float64
    layer.to("meta")
    assert layer.weight is weight and weight.device.type == "meta" and weight.grad.device.type == "meta"
    layer.load_state_dict({"weight": weft.ones(2, 2), "bias": weft.zeros(2)}, assign=True)
    assert layer.weight is weight and weight.is_leaf and weight.requires_grad and weight.dtype == weft.float32
    assert layer(weft.ones(1, 2)).tolist() == [[2, 2]]


def test_a_subclass_says_what_load_state_dict_puts_in(same_objects):
    class Doubled(weft.Tensor):
        def module_load(self, other, assign=False):
            return other.detach() * 2
    layer = nn.Linear(2, 2, bias=False)
    layer.weight = nn.Parameter(weft.ones(2, 2).as_subclass(Doubled))
    held = layer.weight
    layer.load_state_dict({"weight": weft.ones(2, 2)})
    assert layer.weight is held and held.tolist() == [[2, 2], [2, 2]]


def test_a_gradient_is_kept_where_a_conversion_makes_new_parameters():
    layer = nn.Linear(2, 2)
    before, layer.weight.grad = layer.weight, weft.ones(2, 2)
    weft.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        layer.double()
    finally:
        weft.__future__.set_overwrite_module_params_on_conversion(False)
    assert layer.weight is not before and layer.weight.grad.dtype == weft.float64


# helpers

def test_contexts_that_decorate():
    from weft.utils._contextlib import _DecoratorContextManager, _NoParamDecoratorContextManager, context_decorator
    log = []

    class note(_DecoratorContextManager):
        def __init__(self, name):
            self.name = name

        def clone(self):
            return note(self.name)

        def __enter__(self):
            log.append("+" + self.name)

        def __exit__(self, *error):
            log.append("-" + self.name)

    @note("f")
    def plain():
        log.append("f")
        return 3

    @note("g")
    def steps():
        yield 1
        log.append("g")
        yield 2
    assert plain() == 3 and log == ["+f", "f", "-f"]
    log.clear()
    assert list(steps()) == [1, 2] and log == ["+g", "-g", "+g", "g", "-g", "+g", "-g"]
    with pytest.raises(RuntimeError, match="Cannot decorate classes"):
        context_decorator(note("h"), type("A", (), {}))

    class quiet(_NoParamDecoratorContextManager):
        def __enter__(self):
            log.append("in")

        def __exit__(self, *error):
            pass
    log.clear()
    assert quiet(lambda: 5)() == 5 and log == ["in"]


def test_file_check_finds_lines_in_order():
    text = "a b\nadd relu relu\n  mul\nend"
    check = weft.testing.FileCheck
    check().check("a").check_count("relu", 2, exactly=True).check_next("mul").check_not("add").check("end").run(text)
    check().check_dag("relu").check_dag("add").check("mul").run(text)
    check().check("add").check_same("relu").run(text)
    check().check_regex(r"r.lu\s+relu").run(text)
    for wrong in (check().check("mul").check("add"), check().check_not("relu"), check().check_count("relu", 3),
                  check().check_count("relu", 1, exactly=True), check().check("add").check_next("end"),
                  check().check("add").check_same("mul"), check().check("add").check_not("relu").check("mul")):
        with pytest.raises(RuntimeError, match="Expected to"):
            wrong.run(text)


def test_lists_of_tensors_by_type_and_size():
    utils = importlib.import_module("weft._utils")
    tensors = [weft.zeros(4), weft.zeros(4, dtype=weft.int64), weft.zeros(4), weft.zeros(1)]
    found = list(utils._take_tensors(tensors, 20))
    assert [[t.numel() for t in group] for group in found] == [[4], [4, 1], [4]]
    again = utils._reorder_tensors_as([t for group in found for t in group], tensors)
    assert all(a is b for a, b in zip(again, tensors))


def test_a_key_error_of_a_worker_prints_its_lines():
    try:
        raise KeyError("lost")
    except KeyError:
        wrapped = importlib.import_module("weft._utils").ExceptionWrapper(where="in worker 0")
    with pytest.raises(KeyError) as caught:
        wrapped.reraise()
    assert "in worker 0.\nOriginal Traceback" in str(caught.value)


def test_the_core_says_what_it_has():
    core = importlib.import_module("weft._C")
    assert core.has_lapack and core.has_spectral and core._len_torch_function_stack() == 0
    assert core._get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
    weft.backends.disable_global_flags()
    assert weft._dynamo.config.compiled_autograd is False


# what PyTorch's own tests found

def test_a_subclass_gives_repr_its_contents():
    class Named(weft.Tensor):
        def __repr__(self):
            return super().__repr__(tensor_contents="mine")
    x = weft.zeros(2).as_subclass(Named)
    assert repr(x) == "Named(mine)" and f"{weft.zeros(1)}" == "tensor([0.])"
    assert repr(nn.Parameter(weft.zeros(1))) == "Parameter containing:\ntensor([0.], requires_grad=True)"


def test_a_subclass_with_slots_goes_through_a_file(tmp_path):
    weft.save(Slotted.made(weft.ones(2), 7), tmp_path / "t.pt")
    with weft.serialization.safe_globals([Slotted]):
        back = weft.load(tmp_path / "t.pt")
    assert type(back) is Slotted and back.note == 7 and back.tolist() == [1, 1]


class Slotted(weft.Tensor):
    __slots__ = ["note"]

    @staticmethod
    def made(data, note):
        t = data.as_subclass(Slotted)
        t.note = note
        return t


def test_extra_state_that_is_a_module_is_loaded_with_what_is_below_it():
    class Keeper(nn.Module):
        def __init__(self, kept):
            super().__init__()
            self.kept = kept

        def get_extra_state(self):
            return self.kept

        def set_extra_state(self, state):
            self.kept = state
    model, other = Keeper(Keeper(3)), Keeper("nothing yet")
    other.load_state_dict(model.state_dict())
    assert other.kept.kept == 3
    third = Keeper("kept")
    with pytest.raises(RuntimeError, match="Unexpected"):
        third.load_state_dict({**Keeper(5).state_dict(), "more": weft.ones(1)})
    assert third.kept == "kept"


def test_errors_and_warnings_have_pytorch_s_words():
    x = weft.rand(1, 3, 2, 2)
    with pytest.raises(RuntimeError, match="Number of groups to divide channels in must be positive"):
        weft.native_channel_shuffle(x, 0)
    with pytest.raises(RuntimeError, match="calculated shape of the array of sliding blocks as"):
        F.fold(weft.randn(1, 12, 12), (4, 5), 2, dilation=8)
    with pytest.raises(ValueError, match="either be a single Int or tuple of Ints"):
        F.fractional_max_pool2d(x, 1, output_ratio=[0.5, 0.5, 0.6])
    with pytest.raises(TypeError, match="expected size to be one of int or"):
        F.interpolate(x, (3.5, 2))
    theta = weft.zeros(1, 2, 3)
    with pytest.warns(UserWarning, match="See the documentation of affine_grid"):
        F.affine_grid(theta, [1, 1, 2, 1], align_corners=True)


def test_a_replica_shares_buffers_and_has_no_parameters():
    layer = nn.BatchNorm1d(2)
    replica = layer._replicate_for_data_parallel()
    assert not list(replica.parameters()) and replica.running_mean is layer.running_mean
    assert len(list(layer.parameters())) == 2 and replica._is_replica


def test_redispatch_passes_one_level():
    from weft.overrides import handle_torch_function, has_torch_function, redispatch_function
    seen = []

    class Logged(weft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return redispatch_function(func, types, args, kwargs)

    def scaled(a, b):
        if has_torch_function((a, b)):
            return handle_torch_function(scaled, (a, b), a, b)
        return a * b + 1
    made = scaled(weft.tensor([3.0]).as_subclass(Logged), weft.tensor([4.0]).as_subclass(Logged))
    assert seen[0] == "scaled" and len(seen) == 2 and type(made) is weft.Tensor and made.item() == 13


def test_pytree_tuples_dataclasses_and_specs_as_text():
    import dataclasses
    import time
    from collections import OrderedDict, deque, namedtuple

    from weft.utils import _pytree as pytree
    Pair = namedtuple("Pair", "a b")
    assert pytree.is_namedtuple_class(Pair) and pytree.is_namedtuple_instance(Pair(1, 2))
    assert not pytree.is_namedtuple_class(tuple) and pytree.is_structseq_class(time.struct_time)
    values, context = pytree._namedtuple_flatten(Pair(1, 2))
    assert values == [1, 2] and pytree._namedtuple_unflatten(values, context) == Pair(1, 2)
    assert pytree.arg_tree_leaves(1, [2], x={"y": 3}) == [1, 2, 3]
    spec = pytree.tree_structure({"a": [1, (2, OrderedDict(b=deque([3], maxlen=4)))]})
    assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
    assert pytree.treespec_pprint(pytree.tree_structure([1, {"a": 2}])) == "[*, {'a': *}]"
    with pytest.raises(NotImplementedError, match="is not registered"):
        pytree.treespec_dumps(pytree.tree_structure(Pair(1, 2)))

    @dataclasses.dataclass
    class Point:
        x: object
        y: object = None
    pytree.register_dataclass(Point)
    doubled = pytree.tree_map(lambda v: v * 2, [Point(1), Point(2, 3)])
    assert doubled == [Point(2), Point(4, 6)]
    assert [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(Point(1, 2))] == [".x", ".y"]


def test_a_right_inverse_may_not_change_the_device():
    class Away(nn.Module):
        def forward(self, x):
            return x.float()

        def right_inverse(self, w):
            return w.to("meta")
    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="it may not change the device"):
        nn.utils.parametrize.register_parametrization(layer, "weight", Away())
    assert not nn.utils.parametrize.is_parametrized(layer)


def test_load_reads_from_an_object_with_few_methods():
    import io

    class Few:
        def __init__(self):
            self.kept = io.BytesIO()

        def __getattr__(self, name):
            if name in ("read", "write", "seek", "tell", "flush", "readline"):
                return getattr(self.kept, name)
            raise AttributeError(name)
    for newer in (True, False):
        f = Few()
        weft.save(weft.ones(3), f, _use_new_zipfile_serialization=newer)
        f.seek(0)
        assert weft.load(f).tolist() == [1, 1, 1]


def test_a_class_that_is_no_tensor_is_told_so():
    with pytest.raises(TypeError, match="from a class that does not inherit from Tensor"):
        weft.ones(1).as_subclass(int)


def test_a_view_as_wider_numbers_names_the_stride_that_does_not_fit():
    x = weft.zeros(4, 3, 6, dtype=weft.int16).as_strided((4, 2, 4), (16, 3, 1))
    with pytest.raises(RuntimeError, match=r"self.stride\(1\) must be divisible by 2 .* but got 3"):
        x.view(weft.int32)
