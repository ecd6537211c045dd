"""Two tensors change places: each object goes on as the other one."""
import weakref

from weft.core.errors import fail
from weft.tensor.names import method
from weft.tensor.tensor import settle

SLOTS = ("_form", "_owed", "_made_by", "_made_nr", "_wants_grad", "_on_meta", "_inference", "_grad", "_memory_record",
         "_view_of", "_seldom")


def swap_tensors(t1, t2):
    """Exchange all that two tensors are: values, type, gradient, history, class and attributes. Whoever holds the one
    then has the other.

    >>> import weft
    >>> a, b = weft.zeros(2), weft.ones(3, dtype=weft.int64)
    >>> weft.utils.swap_tensors(a, b)
    >>> a, b
    (tensor([1, 1, 1]), tensor([0., 0.]))
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            fail(RuntimeError, f"Cannot swap {name} because it has weakref associated with it",
                 "let go of the weak references first")
    if type(t1) is not type(t2):
        try:
            t1.__class__, t2.__class__ = type(t2), type(t1)
        except TypeError:
            fail(RuntimeError, f"Cannot swap t1 and t2 if they have different classes: {type(t1).__name__} and "
                 f"{type(t2).__name__}", "make both of one class, for example with nn.Parameter(t)")
    for t in (t1, t2):
        if t._owed is not None and t._owed.readable:
            settle(t)       # a value that a captured step still owes belongs to this very object
    for slot in SLOTS if "_form" not in vars(t1) else ():      # the plain core keeps them among the attributes
        mine, other = getattr(t1, slot), getattr(t2, slot)
        setattr(t1, slot, other)
        setattr(t2, slot, mine)
    mine, other = dict(vars(t1)), dict(vars(t2))
    for t, attributes in ((t1, other), (t2, mine)):
        vars(t).clear()
        vars(t).update(attributes)


@method
def module_load(self, other, assign=False):
    """What load_state_dict puts in the place of this parameter or buffer for `other`, where
    torch.__future__.set_swap_module_params_on_conversion(True) says so. A subclass may say otherwise.

    >>> import weft
    >>> weft.zeros(2).module_load(weft.ones(2))
    tensor([1., 1.])
    """
    return other.detach() if assign else self.detach().copy_(other)
