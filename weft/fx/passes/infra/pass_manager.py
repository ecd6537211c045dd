"""Passes, one after the other."""
import inspect

from weft.fx.graph_module import GraphModule
from weft.fx.passes.infra.pass_base import PassResult
from weft.nn import Module

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn):
    """A pass that gives a PassResult, of one that changes its module and gives nothing, or gives the module."""
    if fn is None:
        return None

    def wrapped(module):
        made = fn(module)
        if isinstance(made, PassResult):
            return made
        return PassResult(module if made is None else made, True)
    wrapped.__name__ = _name(fn)
    return wrapped


def this_before_that_pass_constraint(this, that):
    """A constraint: that one pass comes before another. A function of two passes: may the first stand before?"""
    return lambda a, b: not (a is that and b is this)


def _name(one):
    return getattr(one, "__name__", None) or type(one).__name__


def _topological_sort_passes(passes, constraints):
    """The passes in an order that all constraints allow; those that may run at the same time in the order given."""
    waits = {one: [other for other in passes if other is not one
                   and not all(allows(one, other) for allows in constraints)] for one in passes}
    waiting = {one: len(others) for one, others in waits.items()}
    ready, ordered = [one for one in passes if not waiting[one]], []
    while ready:
        done = ready.pop(0)
        ordered.append(done)
        for one in passes:
            if any(other is done for other in waits[one]):
                waiting[one] -= 1
                if not waiting[one]:
                    ready.append(one)
    left = [one for one in passes if waiting[one]]
    if left:
        raise RuntimeError(f"Circular dependency detected within the following passes: {left}")
    return ordered


class PassManager:
    """Runs passes in the order that the constraints allow, `steps` times or until nothing changes."""

    def __init__(self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False,
                 suppress_check_failures=False):
        self.passes, self.constraints = list(passes or []), list(constraints or [])
        self.steps = 1 if steps is None else steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass):
        """One more, at the end."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        """One more constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self):
        """RuntimeError unless the passes stand in an order that all constraints allow."""
        if self._validated:
            return
        for allows in self.constraints:
            for i, one in enumerate(self.passes):
                for other in self.passes[i + 1:]:
                    if not allows(one, other):
                        raise RuntimeError(f"pass schedule constraint violated. Expected {_name(one)} before "
                                           f"{_name(other)} but found it at index {i}")
        self._validated = True

    def solve_constraints(self):
        """Put the passes into an order that all constraints allow."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check):
        """A function of the module that raises if something is wrong; it runs at the end (or after each pass)."""
        names = list(inspect.signature(check).parameters)
        if len(names) != 1:
            raise TypeError(f"PassManager check function should only take in one variable, a module; "
                            f"{_name(check)} takes {', '.join(names) or 'none'}")
        self.check = check

    def check(self, module):
        """Overwritten by add_checks."""

    def _checked(self, module):
        try:
            self.check(module)
        except Exception:
            if not self.suppress_check_failures:
                raise

    def __call__(self, module):
        if not self._validated:
            self.solve_constraints()
        self._checked(module)
        changed = False
        for _ in range(self.steps):
            again, done = False, []
            for one in self.passes:
                made = self._run(one, module, done)
                module, again = made.graph_module, again or made.modified
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self._checked(module)
                done.append(_name(one))
            changed = changed or again
            if not again:
                break
        return PassResult(module, changed)

    @staticmethod
    def _run(one, module, done):
        try:
            made = one(module)
            if isinstance(made, Module):
                made = PassResult(made, True)
            if not isinstance(made, PassResult):
                raise TypeError(f"The result of the pass {_name(one)} should be type PassResult. Please wrap it with "
                                f"pass_result_wrapper()")
            return made
        except Exception as error:
            before = f"after the passes {done}" if done else "as the first one"
            raise RuntimeError(f"the pass {_name(one)} failed {before}: {type(error).__name__}: {error}") from error
