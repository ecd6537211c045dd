"""A tracer that first rewrites a program's source, so that its asserts and annotations are part of the graph."""
import ast
import copy
import functools
import inspect
import textwrap
import types

import weft
from weft.fx import Tracer
from weft.fx.annotate import annotate
from weft.nn.module import Module

__all__ = ["AST_Rewriter", "RewritingTracer"]


class AST_Rewriter(ast.NodeTransformer):
    """`assert a, b` becomes `torch._assert(a, b)`, and `x: int = y` becomes `x = annotate(y, int)`."""

    def rewrite(self, fn):
        """The function with its source rewritten; default values, globals and closed-over names stay."""
        plain = inspect.unwrap(fn.__func__ if inspect.ismethod(fn) else fn)
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
        tree.body[0].decorator_list = []
        free = plain.__code__.co_freevars
        inner = ast.fix_missing_locations(self.visit(tree))
        if free:        # inside a function whose arguments are the names that it closes over
            maker = ast.parse(f"def make({', '.join(free)}):\n    return {plain.__name__}")
            maker.body[0].body.insert(0, inner.body[0])
            inner = ast.fix_missing_locations(maker)
        names = {}
        exec(compile(inner, plain.__code__.co_filename, "exec"), {**plain.__globals__, **_ADDED}, names)
        made = names["make"](*free) if free else names[plain.__name__]
        made = types.FunctionType(made.__code__, _Names(plain.__globals__), plain.__name__, plain.__defaults__,
                                  plain.__closure__)
        made.__kwdefaults__ = plain.__kwdefaults__
        return functools.update_wrapper(made, plain, ("__module__", "__qualname__", "__annotations__"), ())

    def visit_Assert(self, node):
        """A call in its place."""
        message = node.msg or ast.Constant("")
        call = ast.Call(ast.Name("_rewritten_assert", ast.Load()), [node.test, message], [])
        return ast.copy_location(ast.Expr(call), node)

    def visit_AnnAssign(self, node):
        """An assignment of the annotated value; a bare annotation stays."""
        if node.value is None:
            return node
        call = ast.Call(ast.Name("_rewritten_annotate", ast.Load()), [node.value, node.annotation], [])
        return ast.copy_location(ast.Assign([node.target], call), node)


def _assert(condition, message=""):
    """Looked up when it runs: a tracer may have exchanged it."""
    return weft._assert(condition, message)


_ADDED = {"_rewritten_assert": _assert, "_rewritten_annotate": annotate}


def _Names(module_globals):
    """The module's own globals, with the two functions that rewritten code calls."""
    module_globals.update({name: value for name, value in _ADDED.items() if name not in module_globals})
    return module_globals


class RewritingTracer(Tracer):
    """A Tracer of the rewritten program."""

    def trace(self, root, concrete_args=None):
        return super().trace(_rewrite(root), concrete_args)


def _rewrite(fn):
    """A function, or a copy of a module and of those inside it, with their source rewritten."""
    if not isinstance(fn, Module):
        return AST_Rewriter().rewrite(fn)
    made = copy.copy(fn)
    made.__dict__ = {key: copy.copy(value) for key, value in fn.__dict__.items()}
    made._modules = {name: None if one is None else _rewrite(one) for name, one in fn._modules.items()}
    if not type(fn).__module__.startswith(("weft.nn", "torch.nn")):
        made.__class__ = type(type(fn).__name__, (type(fn),), {"forward": AST_Rewriter().rewrite(type(fn).forward)})
    return made
