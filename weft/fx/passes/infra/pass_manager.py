"""Passes, one after the other."""
from weft.fx.graph_module import GraphModule
from weft.fx.passes.infra.pass_base import PassResult

__all__ = ["PassManager"]


class PassManager:
    """Runs passes in their order, `steps` times or until nothing changes."""

    def __init__(self, passes=None, constraints=None, steps=1, run_checks_after_each_pass=False,
                 suppress_check_failures=False):
        self.passes, self.constraints, self.steps = list(passes or []), list(constraints or []), steps
        self.run_checks_after_each_pass = run_checks_after_each_pass

    def add_pass(self, _pass):
        self.passes.append(_pass)

    def add_checks(self, check):
        self.check = check

    def check(self, module):
        """Overwritten by add_checks."""

    def __call__(self, module):
        changed = False
        for _ in range(self.steps):
            again = False
            for one in self.passes:
                made = one(module)
                if isinstance(made, PassResult):
                    module, again = made.graph_module, again or made.modified
                elif isinstance(made, GraphModule):
                    module, again = made, True
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed = changed or again
            if not again:
                break
        return PassResult(module, changed)
