"""The graph of a traced program: a list of nodes in the order in which they run."""
import copy
import warnings

from weft.core.errors import message
from weft.fx.codegen import CodeGen, PythonCode, _PyTreeCodeGen  # noqa: F401
from weft.fx.names import Namespace, snake_case
from weft.fx.node import Node, _target_text, map_arg
from weft.fx.paths import is_at

__all__ = ["Graph", "PythonCode", "CodeGen"]
_Namespace = Namespace


class _NodeList:
    """The nodes of a graph, from first to last (or reversed)."""

    def __init__(self, graph, direction="_next"):
        self.graph, self.direction = graph, direction

    def __len__(self):
        return self.graph._len

    def __iter__(self):
        root = self.graph._root
        node = getattr(root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self):
        return iter(_NodeList(self.graph, "_prev" if self.direction == "_next" else "_next"))


class _Until:
    """What was done at once, undone where a `with` ends, if it stands in one."""

    def __init__(self, undo):
        self.undo = undo

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.undo()


class Graph:
    """Nodes in the order in which they run; `nodes` goes through them, and new ones come where `inserting_before` or
    `inserting_after` says, else at the end.

    >>> import weft
    >>> graph = weft.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> out = graph.output(graph.call_function(weft.relu, (x,)))
    >>> weft.fx.GraphModule(weft.nn.Module(), graph)(weft.tensor(-1.))
    tensor(0.)
    """

    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self._names = self._graph_namespace = Namespace()
        self._root = self._insert_point = Node(self, "", "root", "", (), {})
        self._len = 0
        self.owning_module, self._tracer_cls, self._tracer_extras = owning_module, tracer_cls, tracer_extras
        self._codegen, self._co_fields = CodeGen(), None

    @property
    def nodes(self):
        """The nodes, in order.

        >>> import weft
        >>> list(weft.fx.symbolic_trace(lambda x: x + 1).graph.nodes)
        [x, add, output]
        """
        return _NodeList(self)

    def find_nodes(self, *, op, target=None, sort=True):
        """The nodes of a kind, and of a target if one is given.

        >>> import weft
        >>> weft.fx.symbolic_trace(lambda x: x + 1).graph.find_nodes(op="placeholder")
        [x]
        """
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def output_node(self):
        """The node of the output.

        >>> import weft
        >>> weft.fx.symbolic_trace(lambda x: x + 1).graph.output_node()
        output
        """
        return next(n for n in reversed(self.nodes) if n.op == "output")

    # ---- new nodes ----

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        """A node, put where nodes are put now.

        >>> import weft
        >>> weft.fx.Graph().create_node("placeholder", "x")
        x
        """
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise AssertionError(f"args must be a tuple and kwargs a dict, not {type(args)} and {type(kwargs)}")
        candidate = name if name is not None else self._target_to_str(target)
        made = Node(self, self._names.create_name(candidate, None), op, target, args, kwargs, type_expr)
        self._names.associate_name_with_obj(made.name, made)
        self._insert_point.prepend(made)
        self._len += 1
        return made

    @staticmethod
    def _target_to_str(target):
        if isinstance(target, str):
            stripped = target.strip("_") if target.startswith("__") and target.endswith("__") else target
            return snake_case(stripped.replace(".", "_"))
        return snake_case(getattr(target, "__name__", type(target).__name__))

    def placeholder(self, name, type_expr=None, default_value=...):
        """An input.

        >>> import weft
        >>> weft.fx.Graph().placeholder("x").op
        'placeholder'
        """
        return self.create_node("placeholder", name, () if default_value is ... else (default_value,),
                                type_expr=type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        """An attribute of the module: a parameter, a buffer, or anything else that its path leads to.

        >>> import weft
        >>> weft.fx.Graph().get_attr("layer.weight")
        layer_weight
        """
        self._warn_of_absent("get_attr", qualified_name)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        """A call of the module at a path.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.call_module("layers.0", (graph.placeholder("x"),))
        layers_0
        """
        self._warn_of_absent("call_module", module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def _warn_of_absent(self, op, path):
        if self.owning_module is not None and not is_at(self.owning_module, path):
            warnings.warn(message(f"Attempted to insert a {op} Node with no underlying reference in the owning "
                                  f"GraphModule: there is no '{path}'",
                                  "call GraphModule.add_submodule, or assign it, before"), stacklevel=3)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        """A call of the first argument's method.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.call_method("relu", (graph.placeholder("x"),))
        relu
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        """A call of a function.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.call_function(weft.relu, (graph.placeholder("x"),))
        relu
        """
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result, type_expr=None):
        """What comes out: nested tuples, lists and dicts of nodes.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.output(graph.placeholder("x"))
        output
        """
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node, arg_transform=lambda x: x):
        """A copy of another graph's node, its arguments' nodes exchanged by arg_transform.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> graph.node_copy(weft.fx.Graph().placeholder("x"))
        x
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g, val_map, return_output_node=False):
        """Copies of all nodes of a graph but the output, noted in val_map; gives what the output stands for.

        >>> import weft
        >>> graph, copies = weft.fx.Graph(), {}
        >>> graph.graph_copy(weft.fx.symbolic_trace(lambda x: x + 1).graph, copies)
        add
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda n: val_map[n])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    # ---- places and removal ----

    def _inserting(self, point):
        if point.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        before, self._insert_point = self._insert_point, point
        return _Until(lambda: setattr(self, "_insert_point", before))

    def inserting_before(self, n=None):
        """From now on, or inside `with`, nodes come before node n (or at the beginning).

        >>> import weft
        >>> graph = weft.fx.symbolic_trace(lambda x: x + 1).graph
        >>> with graph.inserting_before(graph.output_node()):
        ...     graph.call_function(weft.relu, (list(graph.nodes)[1],))
        relu
        """
        return self._inserting(self._root._next if n is None else n)

    def inserting_after(self, n=None):
        """From now on, or inside `with`, nodes come after node n (or at the end).

        >>> import weft
        >>> graph = weft.fx.symbolic_trace(lambda x: x + 1).graph
        >>> with graph.inserting_after(list(graph.nodes)[1]):
        ...     graph.call_function(weft.relu, (list(graph.nodes)[1],)).next
        output
        """
        return self._inserting(self._root if n is None else n._next)

    def erase_node(self, to_erase):
        """Remove a node that nobody uses.

        >>> import weft
        >>> graph = weft.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> graph.erase_node(x); len(graph.nodes)
        0
        """
        if to_erase.users:
            raise RuntimeError(message(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users "
                                       f"in the graph: {to_erase.users}!",
                                       "give them another node first (replace_all_uses_with)"))
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        to_erase._unlink()
        to_erase._erased = True
        self._len -= 1
        to_erase._set((), {})

    def eliminate_dead_code(self, is_impure_node=None):
        """Remove what nobody uses and what does nothing else; says whether there was any.

        >>> import weft
        >>> graph = weft.fx.symbolic_trace(lambda x: (x + 1, x * 2)[0]).graph
        >>> graph.eliminate_dead_code(), list(graph.nodes)
        (True, [x, add, output])
        """
        self.lint()
        impure = is_impure_node or (lambda node: node.is_impure())
        dead = 0
        for node in list(reversed(self.nodes)):
            if not node.users and not impure(node):
                self.erase_node(node)
                dead += 1
        return dead > 0

    # ---- code ----

    def python_code(self, root_module, *, verbose=False, **options):
        """The source of a function that does what the graph does, and the globals that it needs.

        >>> import weft
        >>> print(weft.fx.symbolic_trace(lambda x: x + 1).graph.python_code("self").src.strip())
        def forward(self, x):
            add = x + 1;  x = None
            return add
        """
        names = Namespace()
        for node in self.nodes:
            names.associate_name_with_obj(node.name, node)
        return self._codegen._gen_python_code(self.nodes, root_module, names)

    def set_codegen(self, codegen):
        """Another writer of the code.

        >>> import weft
        >>> weft.fx.Graph().set_codegen(weft.fx.CodeGen())
        """
        self._codegen = codegen

    def on_generate_code(self, make_transformer):
        """From now on, or inside `with`, the lines of the body are changed: make_transformer(the one before) gives a
        function of them.

        >>> import weft
        >>> graph = weft.fx.symbolic_trace(lambda x: x).graph
        >>> with graph.on_generate_code(lambda before: lambda lines: ["print(1)\\n", *lines]):
        ...     "print(1)" in graph.python_code("self").src
        True
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)
        return _Until(lambda: setattr(self._codegen, "_body_transformer", before))

    def process_inputs(self, *args):
        """The arguments as the placeholders take them.

        >>> import weft
        >>> weft.fx.Graph().process_inputs(1)
        (1,)
        """
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """The output as the function gives it.

        >>> import weft
        >>> weft.fx.Graph().process_outputs(1)
        1
        """
        return self._codegen.process_outputs(out)

    # ---- looking at it ----

    def lint(self):
        """Check it: every argument stands before its user, names are different, targets exist.

        >>> import weft
        >>> weft.fx.symbolic_trace(lambda x: x + 1).graph.lint()
        """
        seen, names = set(), set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was "
                                       f"used as an argument! If you are copying nodes from another graph, make sure "
                                       f"to use ``arg_transform`` on node_copy() to remap values\n{self}")
                if used not in seen:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it has been defined! "
                                       f"Please check that Nodes in the graph are topologically ordered\n{self}")
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen.add(node)
            names.add(node.name)
            self._check_target(node)

    def _check_target(self, node):
        if self.owning_module is None or node.op not in ("get_attr", "call_module"):
            return
        if not is_at(self.owning_module, node.target):
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute "
                               f"{node.target.split('.')[0]} of {type(self.owning_module).__name__}")
        if node.op == "call_module":
            from weft.nn import Module
            found = self.owning_module.get_submodule(node.target)
            if not isinstance(found, Module):
                raise RuntimeError(f"Node {node} target {node.target} does not reference an nn.Module")

    def print_tabular(self):
        """Print a table of the nodes.

        >>> import weft
        >>> weft.fx.symbolic_trace(lambda x: x).graph.print_tabular()
        opcode       name    target    args    kwargs
        -----------  ------  --------  ------  --------
        placeholder  x       x         ()      {}
        output       output  output    (x,)    {}
        """
        rows = [["opcode", "name", "target", "args", "kwargs"]]
        rows += [[n.op, n.name, _target_text(n.target), repr(n.args), repr(n.kwargs)] for n in self.nodes]
        widths = [max(len(row[i]) for row in rows) + (2 if len(rows[0][i]) >= max(len(r[i]) for r in rows[1:]) else 0)
                  for i in range(5)]
        rows.insert(1, ["-" * w for w in widths])
        print("\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows))

    def __str__(self):
        return "graph():" + "".join(f"\n    {node.format_node()}" for node in self.nodes)

    def __deepcopy__(self, memo=None):
        made = Graph(tracer_cls=self._tracer_cls)
        copies = {}
        found = made.graph_copy(self, copies, return_output_node=True)
        made._codegen, made._co_fields = copy.deepcopy(self._codegen), self._co_fields
        if memo is not None:
            memo[id(self)] = made
        if found is not None:
            result, old = found
            out = made.output(result, type_expr=old.type)
            out.meta = copy.copy(old.meta)
            copies[old] = out
        for old, new in copies.items():
            new.meta = copy.copy(old.meta)
        return made
