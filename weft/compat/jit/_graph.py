"""The program of a script as a graph of nodes, to be read and searched: `print(script.graph)`."""
import ast

OPERATORS = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floordiv", "Mod": "remainder",
             "Pow": "pow", "MatMult": "matmul", "BitAnd": "__and__", "BitOr": "__or__", "BitXor": "__xor__",
             "LShift": "__lshift__", "RShift": "__rshift__", "USub": "neg", "UAdd": "pos", "Not": "__not__",
             "Invert": "bitwise_not", "Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge",
             "Is": "__is__", "IsNot": "__isnot__", "In": "__contains__", "NotIn": "__not_contains__"}


class ScriptNode:
    """A step: its kind ("aten::add"), what it takes and gives, and blocks of a branch or loop."""

    def __init__(self, kind, inputs=(), output=None, attributes=None):
        self._kind, self._inputs, self._output, self._attributes = kind, list(inputs), output, attributes or {}
        self._blocks = []

    def kind(self):
        """`aten::add`, `prim::If`, `prim::CallMethod`..."""
        return self._kind

    def inputs(self):
        """Names of what it takes."""
        return list(self._inputs)

    def outputs(self):
        """Names of what it gives."""
        return [self._output] if self._output else []

    def blocks(self):
        """What stands inside of a branch or loop: lists of nodes."""
        return list(self._blocks)

    def attributeNames(self):
        """Names of what it says besides: `name`, `value`."""
        return list(self._attributes)

    def s(self, name):
        """An attribute that is a text."""
        return self._attributes[name]

    def lines(self, indent):
        """Its text, a line for each node."""
        said = ", ".join([f"{k}={v!r}" for k, v in self._attributes.items()])
        head = f"%{self._output} = " if self._output else " = "
        yield (f"{'  ' * indent}{head}{self._kind}{f'[{said}]' if said else ''}"
               f"({', '.join([f'%{i}' for i in self._inputs])})")
        for number, block in enumerate(self._blocks):
            yield f"{'  ' * (indent + 1)}block{number}():"
            for node in block:
                yield from node.lines(indent + 2)

    def __repr__(self):
        return "\n".join(self.lines(0))


class ScriptGraph:
    """The nodes of a function of the language."""

    def __init__(self, tree):
        self._names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
        self._count, self._returns = 0, []
        self._nodes = self._block(tree.body)

    def nodes(self):
        """All nodes that stand in no block."""
        return list(self._nodes)

    def inputs(self):
        """Names of what the function takes."""
        return list(self._names)

    def outputs(self):
        """Names of what it gives."""
        return list(self._returns)

    def findAllNodes(self, kind, recurse=True):
        """Nodes of a kind, also in blocks."""
        found, pending = [], list(self._nodes)
        while pending:
            node = pending.pop(0)
            if node.kind() == kind:
                found.append(node)
            if recurse:
                pending = [n for block in node.blocks() for n in block] + pending
        return found

    def findNode(self, kind, recurse=True):
        """The first node of a kind, or None."""
        return next(iter(self.findAllNodes(kind, recurse)), None)

    def __str__(self):
        lines = [f"graph({', '.join([f'%{n}' for n in self._names])}):"]
        for node in self._nodes:
            lines += node.lines(1)
        return "\n".join([*lines, f"  return ({', '.join([f'%{n}' for n in self._returns])})", ""])

    __repr__ = __str__

    # statements

    def _block(self, statements):
        self._nodes_now, before = [], getattr(self, "_nodes_now", None)
        for statement in statements:
            self._statement(statement)
        made, self._nodes_now = self._nodes_now, before
        return made

    def _add(self, kind, inputs=(), output=None, **attributes):
        if output is None:
            self._count += 1
            output = str(self._count)
        self._nodes_now.append(ScriptNode(kind, inputs, output, attributes))
        return output

    def _step(self, kind, inputs, blocks=(), **attributes):
        node = ScriptNode(kind, inputs, None, attributes)
        node._blocks = [self._block(block) for block in blocks]
        self._nodes_now.append(node)

    def _statement(self, node):
        if isinstance(node, ast.Assign):
            value = self._value(node.value)
            for target in node.targets:
                self._store(target, value)
        elif isinstance(node, ast.AugAssign):
            value = self._value(node.value)
            self._store(node.target, self._add(f"aten::{OPERATORS[type(node.op).__name__]}_",
                                               [self._value(node.target), value]))
        elif isinstance(node, ast.Return):
            given = [] if node.value is None else [self._value(node.value)]
            self._step("prim::Return", given)
            self._returns = given
        elif isinstance(node, ast.If):
            self._step("prim::If", [self._value(node.test)], [node.body, node.orelse])
        elif isinstance(node, ast.While):
            self._step("prim::Loop", [self._value(node.test)], [[ast.Expr(node.test), *node.body]])
        elif isinstance(node, ast.For):
            self._step("prim::Loop", [self._value(node.iter)], [node.body], name=ast.unparse(node.target))
        elif isinstance(node, ast.With):
            self._step("prim::With", [self._value(i.context_expr) for i in node.items], [node.body])
        elif isinstance(node, ast.Expr):
            self._value(node.value)
        elif isinstance(node, ast.Raise):
            self._step("prim::RaiseException", [self._value(a) for a in getattr(node.exc, "args", ())])
        elif isinstance(node, ast.Assert):
            self._step("prim::Assert", [self._value(node.test)])
        elif not isinstance(node, ast.Pass):
            self._step(f"prim::{type(node).__name__}", [])

    def _store(self, target, value):
        if isinstance(target, ast.Name):
            self._nodes_now.append(ScriptNode("prim::Store", [value], target.id))
        elif isinstance(target, ast.Attribute):
            self._step("prim::SetAttr", [self._value(target.value), value], name=target.attr)
        elif isinstance(target, ast.Subscript):
            self._step("aten::_set_item", [self._value(target.value), self._value(target.slice), value])
        elif isinstance(target, (ast.Tuple, ast.List)):
            for number, part in enumerate(target.elts):
                self._store(part.value if isinstance(part, ast.Starred) else part,
                            self._add("prim::TupleIndex", [value], index=number))

    # expressions

    def _value(self, node):
        made = getattr(self, f"_of_{type(node).__name__}", None)
        if made is not None:
            return made(node)
        return self._add(f"prim::{type(node).__name__}", [self._value(child) for child in ast.iter_child_nodes(node)
                                                          if isinstance(child, ast.expr)])

    def _of_Name(self, node):
        return node.id

    def _of_Constant(self, node):
        return self._add("prim::Constant", value=node.value)

    def _of_Attribute(self, node):
        return self._add("prim::GetAttr", [self._value(node.value)], name=node.attr)

    def _of_BinOp(self, node):
        given = [self._value(node.left), self._value(node.right)]
        return self._add(f"aten::{OPERATORS[type(node.op).__name__]}", given)

    def _of_UnaryOp(self, node):
        return self._add(f"aten::{OPERATORS[type(node.op).__name__]}", [self._value(node.operand)])

    def _of_Compare(self, node):
        left = self._value(node.left)
        for op, other in zip(node.ops, node.comparators):
            right = self._value(other)
            made = self._add(f"aten::{OPERATORS[type(op).__name__]}", [left, right])
            left = right
        return made

    def _of_List(self, node):
        return self._add("prim::ListConstruct", [self._value(e) for e in node.elts])

    def _of_Tuple(self, node):
        return self._add("prim::TupleConstruct", [self._value(e) for e in node.elts])

    def _of_Dict(self, node):
        pairs = [part for pair in zip(node.keys, node.values) for part in pair if part is not None]
        return self._add("prim::DictConstruct", [self._value(part) for part in pairs])

    def _of_Subscript(self, node):
        return self._add("aten::__getitem__", [self._value(node.value), self._value(node.slice)])

    def _of_Call(self, node):
        path, at = [], node.func
        while isinstance(at, ast.Attribute):
            path.append(at.attr)
            at = at.value
        given = [self._value(a) for a in (*node.args, *[k.value for k in node.keywords])]
        root = at.id if isinstance(at, ast.Name) else None
        if root in ("torch", "math") and path:
            return self._add(f"aten::{path[0]}", given)
        if root == "__torch__":
            return self._add("prim::CallFunction", given, name=".".join([root, *reversed(path)]))
        if root is not None and not path:
            if root in self._names or root == "self":
                return self._add("prim::CallMethod", [root, *given], name="forward")
            return self._add(f"prim::{root}", given)
        if root == "self" and len(path) == 1 and isinstance(node.func, ast.Attribute):
            return self._add("prim::CallMethod", [self._value(node.func), *given], name="forward")
        return self._add("prim::CallMethod", [self._value(node.func.value), *given], name=path[0]) if path else \
            self._add("prim::Call", [self._value(node.func), *given])

    def _of_Slice(self, node):
        return self._add("prim::Slice", [self._value(p) for p in (node.lower, node.upper, node.step) if p is not None])

    def _of_JoinedStr(self, node):
        return self._add("aten::format", [self._value(v) for v in node.values])

    def _of_FormattedValue(self, node):
        return self._value(node.value)
