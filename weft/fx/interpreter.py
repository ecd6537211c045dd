"""Running a graph node by node, and making another graph while doing so."""
from weft.fx._symbolic_trace import Tracer
from weft.fx.codegen import last_uses
from weft.fx.graph import Graph
from weft.fx.graph_module import GraphModule
from weft.fx.node import Node, map_aggregate
from weft.fx.proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a GraphModule node by node; a subclass changes what a kind of node does.

    >>> import weft
    >>> traced = weft.fx.symbolic_trace(lambda x: weft.relu(x) + 1)
    >>> weft.fx.Interpreter(traced).run(weft.tensor([-1., 1.]))
    tensor([1., 2.])
    """

    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.graph = graph if graph is not None else module.graph
        self.submodules = dict(module.named_modules())
        self.env, self.args_iter = {}, iter(())
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses = last_uses(self.graph.nodes) if garbage_collect_values else {}

    def run(self, *args, initial_env=None, enable_io_processing=True):
        """The graph's output for these inputs; initial_env gives values of nodes that then don't run.

        >>> import weft
        >>> weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x, y: x + y)).run(1, 2)
        3
        """
        self.env = dict(initial_env) if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self._run_told(node)
            for gone in self.user_to_last_uses.get(node, ()):
                self.env.pop(gone, None)
            if node.op == "output":
                found = self.env[node]
                return self.graph.process_outputs(found) if enable_io_processing else found
        return None

    def boxed_run(self, args_list):
        """run() on a list, which is emptied, so that inputs can be freed as soon as nobody needs them.

        >>> import weft
        >>> weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x: x + 1)).boxed_run([1])
        2
        """
        args = list(args_list)
        inputs = [node for node in self.graph.nodes if node.op == "placeholder"]
        if not any(node.target.startswith("*") for node in inputs):
            if len(args) > len(inputs):
                raise RuntimeError(f"Interpreter.boxed_run got extra arguments: the graph takes {len(inputs)}, it was "
                                   f"given {len(args)}")
            if len(args) < sum(not node.args for node in inputs):
                raise RuntimeError(f"Interpreter.boxed_run got missing arguments: the graph takes {len(inputs)}, it "
                                   f"was given {len(args)}")
        args_list.clear()
        return self.run(*args, enable_io_processing=False)

    def _run_told(self, node):
        try:
            return self.run_node(node)
        except Exception as error:
            if self.extra_traceback:
                told = f"While executing {node.format_node()}"
                told += f"\nOriginal traceback:\n{node.stack_trace}" if node.stack_trace else ""
                first = error.args[0] if error.args else ""
                if isinstance(first, str):
                    error.args = (f"{first}\n\n{told}" if first else told, *error.args[1:])
            raise

    def run_node(self, n):
        """Run one node on the values so far.

        >>> import weft
        >>> class Loud(weft.fx.Interpreter):
        ...     def run_node(self, n):
        ...         print(n.op)
        ...         return super().run_node(n)
        >>> Loud(weft.fx.symbolic_trace(lambda x: x)).run(1)
        placeholder
        output
        1
        """
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target, args, kwargs):
        """The next input.

        >>> import weft
        >>> weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x=5: x)).run()
        5
        """
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed "
                               f"in!") from None

    def get_attr(self, target, args, kwargs):
        """The attribute at a path.

        >>> import weft
        >>> traced = weft.fx.symbolic_trace(weft.nn.Linear(1, 1))
        >>> weft.fx.Interpreter(traced).get_attr("weight", (), {}).shape
        torch.Size([1, 1])
        """
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        """A function's result.

        >>> import weft
        >>> weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x: x)).call_function(max, (1, 2), {})
        2
        """
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        """A method's result, of the first argument.

        >>> import weft
        >>> weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x: x)).call_method("upper", ("a",), {})
        'A'
        """
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target, args, kwargs):
        """A module's result.

        >>> import weft
        >>> traced = weft.fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU()))
        >>> weft.fx.Interpreter(traced).call_module("0", (weft.tensor(-1.),), {})
        tensor(0.)
        """
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        """What comes out.

        >>> import weft
        >>> weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x: x)).output("output", (1,), {})
        1
        """
        return args[0]

    def fetch_attr(self, target):
        """What a path leads to in the module.

        >>> import weft
        >>> traced = weft.fx.symbolic_trace(weft.nn.Sequential(weft.nn.ReLU()))
        >>> weft.fx.Interpreter(traced).fetch_attr("0")
        ReLU()
        """
        found, parts = self.module, target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[:i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n):
        """(args, kwargs) of a node with values in place of nodes.

        >>> import weft
        >>> run = weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x: x + 1))
        >>> x, add, _ = run.graph.nodes
        >>> run.env[x] = 4
        >>> run.fetch_args_kwargs_from_env(add)
        ((4, 1), {})
        """
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n):
        """Arguments with the values so far in place of nodes.

        >>> import weft
        >>> run = weft.fx.Interpreter(weft.fx.symbolic_trace(lambda x: x + 1))
        >>> x, add, _ = run.graph.nodes
        >>> run.env[x] = 4
        >>> run.map_nodes_to_values([x], add)
        [4]
        """
        def value(node):
            if node not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such "
                                   f"issues")
            return self.env[node]
        # ordinary lists and dicts, which whoever is called may change
        return map_aggregate(args, lambda x: value(x) if isinstance(x, Node) else x, list, dict)


class Transformer(Interpreter):
    """An Interpreter that makes a new graph: what its methods return (proxies) becomes nodes.

    >>> import weft
    >>> class Neg(weft.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(weft.neg if target is weft.relu else target, args, kwargs)
    >>> Neg(weft.fx.symbolic_trace(lambda x: weft.relu(x))).transform()(weft.tensor(1.))
    tensor(-1.)
    """

    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        owner = self

        class TransformerTracer(Tracer):
            def __init__(self, graph):
                super().__init__()
                self.graph = graph
                self.root = owner.module

            def is_leaf_module(self, m, module_qualified_name):
                return True

        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target, args, kwargs):
        default = next(iter(args), ...)
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        return self.tracer.call_module(self.fetch_attr(target), self.fetch_attr(target).forward, args, kwargs)

    def call_function(self, target, args, kwargs):
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self):
        """The new module.

        >>> import weft
        >>> weft.fx.Transformer(weft.fx.symbolic_trace(lambda x: x + 1)).transform()(1)
        2
        """
        for node in self.graph.nodes:
            before = self.new_graph._root.prev
            if node.op == "output":
                result = self.run_node(node)
                out = self.new_graph.output(map_aggregate(result, lambda v: v.node if isinstance(v, Proxy) else v),
                                            node.type)
                out.meta = dict(node.meta)
                break
            self.env[node] = self.run_node(node)
            for made in _after(before):
                made.meta.update({key: value for key, value in node.meta.items() if key not in made.meta})
        return GraphModule(self.module, self.new_graph)


def _after(node):
    node = node.next
    while node.op != "root":
        yield node
        node = node.next
