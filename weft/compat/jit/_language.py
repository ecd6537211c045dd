"""The language of saved programs: a part of Python's syntax, checked and turned into functions that run it.

`Program.define(text)` reads functions and classes with Python's parser and builds, for each statement and expression, a
small function of the local variables; nothing of it is given to Python to compile or run. Every name is looked up while
that is built (_allowed.py, the program's own functions), so a program that names anything else is refused before it
runs. What may be called or read on a value stands in _values.py: there is no import, no lambda, and no way to Python's
own attributes.
"""
import ast

from weft.jit import _allowed, _values
from weft.jit._values import Refused, attribute, invoke, run

MOST_DEPTH = 120            # of expressions and blocks inside each other
LONGEST = 32 << 20          # characters of a program
BREAK, CONTINUE = "break", "continue"
# what the language doesn't have, in words
NOT_SAID = {"Lambda": "a lambda", "FunctionDef": "a function inside of a function", "ClassDef": "a class in a function",
            "Try": "`try`", "Import": "`import`", "ImportFrom": "`import`", "Global": "`global`", "Yield": "`yield`",
            "YieldFrom": "`yield`", "Nonlocal": "`nonlocal`", "Await": "`await`", "AsyncFor": "`async for`",
            "AsyncWith": "`async with`", "Match": "`match`", "AsyncFunctionDef": "`async def`",
            "TryStar": "`try`"}


# reading text

def parse(text, what="the program"):
    """The syntax tree of a text, if Python's parser takes it."""
    if len(text) > LONGEST:
        raise Refused(f"{what} has {len(text)} characters, more than {LONGEST}")
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"{what} can't be read: {type(error).__name__}: {str(error)[:200]}") from None


class Function:
    """A function of a program: its text, what it takes, what it does."""

    def __init__(self, name, tree, program):
        self.name, self.tree, self.program, self.body = name, tree, program, None

    def build(self):
        """Check it and make it ready to run."""
        if self.body is None:
            self.parameters = Parameters(self.tree.args, self.program, self.name)
            maker = Maker(self.program, self.tree, self.parameters.names)
            self.body = maker.block(self.tree.body)
        return self

    def run(self, args, kwargs):
        env = self.parameters.bind(args, kwargs)
        found = self.body(env)
        return None if found is None else found[0]

    @property
    def code(self):
        """Its text."""
        return ast.unparse(self.tree) + "\n"


class Parameters:
    """What a function takes, and how a call's arguments become local variables."""

    def __init__(self, given, program, name):
        maker = Maker(program, None, ())
        before = [a.arg for a in (*given.posonlyargs, *given.args)]
        self.function, self.places, self.only = name, before, [a.arg for a in given.kwonlyargs]
        self.rest = given.vararg.arg if given.vararg else None
        self.named = given.kwarg.arg if given.kwarg else None
        self.names = [*before, *self.only, *[n for n in (self.rest, self.named) if n]]
        if len(set(self.names)) != len(self.names):
            raise Refused(f"{name}: a parameter stands twice", given)
        pairs = [*zip(before[len(before) - len(given.defaults):], given.defaults),
                 *[(n, d) for n, d in zip(self.only, given.kw_defaults) if d is not None]]
        self.defaults = {n: maker.expression(d) for n, d in pairs}

    def bind(self, args, kwargs):
        places = self.places
        if not kwargs and len(args) == len(places) and not self.only and self.rest is self.named is None:
            return dict(zip(places, args))
        env = dict(zip(places, args))
        if len(args) > len(places) and self.rest is None:
            raise TypeError(f"{self.function}() takes {len(places)} positional arguments but {len(args)} were given")
        if self.rest is not None:
            env[self.rest] = tuple(args[len(places):])
        more = {}
        for name, value in kwargs.items():
            if name in places or name in self.only:
                if name in env:
                    raise TypeError(f"{self.function}() got multiple values for argument '{name}'")
                env[name] = value
            elif self.named is None:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{name}'")
            else:
                more[name] = value
        if self.named is not None:
            env[self.named] = more
        for name in (*places, *self.only):
            if name not in env:
                if name not in self.defaults:
                    raise TypeError(f"{self.function}() missing 1 required positional argument: '{name}'")
                env[name] = self.defaults[name](env)
        return env


class Program:
    """The functions and classes of one file; `dialect` says what names mean that stand in none of them."""

    def __init__(self, dialect):
        self.dialect, self.functions, self.classes = dialect, {}, {}
        self.values = {}            # full name -> module that functions call

    def define(self, tree, name):
        """A function; it is checked when `build` is called, since functions call each other."""
        self.functions[name] = made = Function(name, tree, self)
        return made

    def add_class(self, name, cls):
        """A class, by its full name."""
        cls.program, cls.full_name = self, name
        self.classes[name] = cls

    def build(self):
        """Check everything."""
        for function in list(self.functions.values()):
            function.build()
        for cls in self.classes.values():
            for method in (*cls.methods.values(), *cls.properties.values()):
                method.build()

    def find(self, name):
        """A function or class of the program by its full name, or None."""
        return self.functions.get(name) or self.classes.get(name) or self.values.get(name)


def dotted(node):
    """"torch.nn.functional.relu" of such an expression, or None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def root_of(node):
    """The name that an expression of dots begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def assigned(tree):
    """All names that a function's statements bind."""
    found, pending = set(), list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        pending += ast.iter_child_nodes(node)
    return found


class Maker:
    """Builds what runs for the statements and expressions of one function."""

    def __init__(self, program, tree, parameters):
        self.program, self.dialect = program, program.dialect
        self.locals = set(parameters) | (assigned(tree) if tree is not None else set())
        self.depth = 0

    def _of(self, kind, node):
        made = getattr(self, f"{kind}_{type(node).__name__}", None)
        if made is None:
            raise Refused(f"{NOT_SAID.get(type(node).__name__, type(node).__name__)} is no part of what can be saved",
                          node)
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Refused(f"more than {MOST_DEPTH} expressions or blocks stand inside each other", node)
        try:
            return made(node)
        finally:
            self.depth -= 1

    # statements: each gives None, (value,) of a return, BREAK or CONTINUE

    def block(self, statements):
        steps = [step for step in [self._of("do", node) for node in statements] if step is not None]
        if len(steps) == 1:
            return steps[0]

        def several(env):
            for step in steps:
                found = step(env)
                if found is not None:
                    return found
        return several

    def do_Pass(self, node):
        return None

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant):        # a docstring
            return None
        value = self.expression(node.value)

        def evaluate(env):
            value(env)
        return evaluate

    def do_Return(self, node):
        if node.value is None:
            return lambda env: (None,)
        value = self.expression(node.value)
        return lambda env: (value(env),)

    def do_Break(self, node):
        return lambda env: BREAK

    def do_Continue(self, node):
        return lambda env: CONTINUE

    def do_Assign(self, node):
        value, targets = self.expression(node.value), [self.target(t) for t in node.targets]
        if len(targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id

            def store(env):
                env[name] = value(env)
            return store

        def assign(env):
            found = value(env)
            for target in targets:
                target(env, found)
        return assign

    def do_AnnAssign(self, node):
        if node.value is None:
            return None
        return self.do_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def do_AugAssign(self, node):
        apply, value = _allowed.INPLACE[type(node.op).__name__], self.expression(node.value)
        if isinstance(node.target, ast.Name):
            name, load = node.target.id, self.local(node.target)

            def store(env):
                env[name] = apply(load(env), value(env))
            return store
        if isinstance(node.target, ast.Attribute):
            owner, name = self.expression(node.target.value), self.attribute_name(node.target)

            def change(env):
                thing = owner(env)
                _values.set_attribute(thing, name, apply(attribute(thing, name), value(env)))
            return change
        owner, key = self.expression(node.target.value), self.expression(node.target.slice)

        def update(env):
            thing, place = owner(env), key(env)
            _values.set_item(thing, place, apply(_values.item(thing, place), value(env)))
        return update

    def do_If(self, node):
        test, yes, no = self.expression(node.test), self.block(node.body), self.block(node.orelse)
        return lambda env: yes(env) if test(env) else no(env)

    def do_While(self, node):
        test, body, last = self.expression(node.test), self.block(node.body), self.block(node.orelse)

        def loop(env):
            while test(env):
                found = body(env)
                if found is not None and found is not CONTINUE:
                    return None if found is BREAK else found
            return last(env)
        return loop

    def do_For(self, node):
        values, target = self.expression(node.iter), self.target(node.target)
        body, last = self.block(node.body), self.block(node.orelse)

        def loop(env):
            for value in values(env):
                target(env, value)
                found = body(env)
                if found is not None and found is not CONTINUE:
                    return None if found is BREAK else found
            return last(env)
        return loop

    def do_Assert(self, node):
        test, said = self.expression(node.test), self.expression(node.msg) if node.msg else lambda env: ""

        def check(env):
            if not test(env):
                text = said(env)
                raise AssertionError(text) if text != "" else AssertionError
        return check

    def do_Raise(self, node):
        call = node.exc
        name = dotted(call.func if isinstance(call, ast.Call) else call) if call is not None else None
        kind = _allowed.EXCEPTIONS.get(name) if name is not None else None
        if kind is None or node.cause is not None or isinstance(call, ast.Call) and call.keywords:
            raise Refused("only an exception of Python's own, with a text, can be raised", node)
        args = self.arguments(call.args) if isinstance(call, ast.Call) else lambda env: []

        def throw(env):
            raise kind(*args(env))
        return throw

    def do_Delete(self, node):
        steps = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                steps.append(lambda env, name=target.id: env.pop(name))
            elif isinstance(target, ast.Subscript):
                owner, key = self.expression(target.value), self.expression(target.slice)
                steps.append(lambda env, owner=owner, key=key: _values.remove_item(owner(env), key(env)))
            else:
                raise Refused("an attribute is deleted", node)

        def delete(env):
            for step in steps:
                step(env)
        return delete

    def do_With(self, node):
        managers = []
        for item in node.items:
            call = item.context_expr
            name = dotted(call.func) if isinstance(call, ast.Call) else None
            made = self.dialect.context(name) if name is not None else None
            target = self.target(item.optional_vars) if item.optional_vars is not None else None
            if made is None:            # an object of the program's own classes
                managers.append((_values.entered, self.arguments([call]), lambda env: {}, target))
                continue
            if target is not None:
                raise Refused(f"`with {name}() as ...`", node)
            managers.append((made, self.arguments(call.args), self.keywords(call.keywords), None))
        body = self.block(node.body)

        def enter(env, at=0):
            if at == len(managers):
                return body(env)
            made, args, named, target = managers[at]
            with made(*args(env), **named(env)) as found:
                if target is not None:
                    target(env, found)
                return enter(env, at + 1)
        return enter

    # what is assigned to

    def target(self, node):
        if isinstance(node, ast.Name):
            name = node.id

            def store(env, value):
                env[name] = value
            return store
        if isinstance(node, ast.Attribute):
            owner, name = self.expression(node.value), self.attribute_name(node)
            return lambda env, value: _values.set_attribute(owner(env), name, value)
        if isinstance(node, ast.Subscript):
            owner, key = self.expression(node.value), self.expression(node.slice)
            return lambda env, value: _values.set_item(owner(env), key(env), value)
        if isinstance(node, (ast.Tuple, ast.List)):
            return self.targets(node)
        raise Refused("this can't be assigned to", node)

    def targets(self, node):
        stars = [i for i, t in enumerate(node.elts) if isinstance(t, ast.Starred)]
        parts = [self.target(t.value if isinstance(t, ast.Starred) else t) for t in node.elts]
        count = len(parts)

        def unpack(env, value):
            found = list(value)
            if stars:
                at, behind = stars[0], count - stars[0] - 1
                if len(found) < count - 1:
                    raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(found)})")
                found = [*found[:at], found[at:len(found) - behind], *found[len(found) - behind:]]
            if len(found) != count:
                few = len(found) < count
                raise ValueError(f"not enough values to unpack (expected {count}, got {len(found)})" if few
                                 else f"too many values to unpack (expected {count})")
            for part, one in zip(parts, found):
                part(env, one)
        return unpack

    def attribute_name(self, node):
        if node.attr.startswith("__"):
            raise Refused(f"the attribute {node.attr} is Python's own", node)
        return node.attr

    # expressions: each a function of the local variables

    def expression(self, node):
        return self._of("get", node)

    def get_Constant(self, node):
        value = node.value
        if type(value) not in (*_allowed.PLAIN, type(...)):
            raise Refused(f"a constant of type {type(value).__name__}", node)
        return lambda env: value

    def local(self, node):
        name = node.id

        def load(env):
            try:
                return env[name]
            except KeyError:
                raise UnboundLocalError(f"local variable '{name}' referenced before assignment") from None
        return load

    def get_Name(self, node):
        return self.local(node) if node.id in self.locals else self.global_value(node)

    def global_value(self, node):
        name = dotted(node)
        found = self.program.find(name)
        if found is not None:
            return lambda env: found
        known, value = self.dialect.value(name)
        if not known:
            raise Refused(f"the name {name!r} is none that a saved program may use", node)
        return lambda env: value

    def get_Attribute(self, node):
        root = root_of(node)
        if root is not None and root not in self.locals:
            name = dotted(node)
            if self.program.find(name) is not None or self.dialect.value(name)[0]:
                return self.global_value(node)
            if isinstance(node.value, ast.Name) and self.program.find(root) is None:
                raise Refused(f"the name {name!r} is none that a saved program may use", node)
        owner, name = self.expression(node.value), self.attribute_name(node)
        return lambda env: attribute(owner(env), name)

    def get_Tuple(self, node):
        parts = self.arguments(node.elts)
        return lambda env: tuple(parts(env))

    def get_List(self, node):
        return self.arguments(node.elts)

    def get_Set(self, node):
        parts = self.arguments(node.elts)
        return lambda env: set(map(_allowed.key, parts(env)))

    def get_Dict(self, node):
        pairs = [(None if k is None else self.expression(k), self.expression(v))
                 for k, v in zip(node.keys, node.values)]

        def make(env):
            made = {}
            for key, value in pairs:
                if key is None:
                    made.update(value(env))
                else:
                    place = _allowed.key(key(env))
                    made[place] = value(env)
            return made
        return make

    def get_BinOp(self, node):
        left, right = self.expression(node.left), self.expression(node.right)
        apply = _allowed.BINARY[type(node.op).__name__]
        return lambda env: apply(left(env), right(env))

    def get_UnaryOp(self, node):
        apply, value = _allowed.UNARY[type(node.op).__name__], self.expression(node.operand)
        return lambda env: apply(value(env))

    def get_BoolOp(self, node):
        values, stops = [self.expression(v) for v in node.values], isinstance(node.op, ast.Or)

        def decide(env):
            for value in values:
                found = value(env)
                if bool(found) is stops:
                    break
            return found
        return decide

    def get_Compare(self, node):
        first, others = self.expression(node.left), [self.expression(v) for v in node.comparators]
        applied = [_allowed.COMPARED[type(op).__name__] for op in node.ops]
        if len(others) == 1:
            apply, other = applied[0], others[0]
            return lambda env: apply(first(env), other(env))

        def compare(env):
            left = first(env)
            for apply, other in zip(applied, others):
                right = other(env)
                found = apply(left, right)
                if not found:
                    break
                left = right
            return found
        return compare

    def get_IfExp(self, node):
        test, yes, no = self.expression(node.test), self.expression(node.body), self.expression(node.orelse)
        return lambda env: yes(env) if test(env) else no(env)

    def get_NamedExpr(self, node):
        name, value = node.target.id, self.expression(node.value)

        def store(env):
            env[name] = found = value(env)
            return found
        return store

    def get_Subscript(self, node):
        owner, key = self.expression(node.value), self.expression(node.slice)
        return lambda env: _values.item(owner(env), key(env))

    def get_Slice(self, node):
        parts = [self.expression(p) if p is not None else lambda env: None for p in (node.lower, node.upper, node.step)]
        return lambda env: slice(*[part(env) for part in parts])

    def get_JoinedStr(self, node):
        parts = [self.expression(v) for v in node.values]
        return lambda env: "".join([part(env) for part in parts])

    def get_FormattedValue(self, node):
        value, change = self.expression(node.value), {-1: None, 115: str, 114: repr, 97: ascii}[node.conversion]
        spec = self.expression(node.format_spec) if node.format_spec else lambda env: ""

        def shown(env):
            found = value(env)
            return format(change(found) if change else found, spec(env))
        return shown

    # comprehensions: their variables are the function's for as long as they run

    def comprehension(self, node, make):
        """make(env): called with the variables of each round."""
        rounds = [(self.expression(g.iter), self.target(g.target), [self.expression(t) for t in g.ifs])
                  for g in node.generators]
        if any(g.is_async for g in node.generators):
            raise Refused("an asynchronous comprehension", node)

        def walk(env, at=0):
            if at == len(rounds):
                make(env)
                return
            values, target, tests = rounds[at]
            for value in values(env):
                target(env, value)
                if all([bool(test(env)) for test in tests[:1]]) and all(test(env) for test in tests[1:]):
                    walk(env, at + 1)
        return walk

    def get_ListComp(self, node):
        element = self.expression(node.elt)
        walk = self.comprehension(node, lambda env: env[_values.MADE].append(element(env)))

        def collect(env):
            inner = {**env, _values.MADE: []}
            walk(inner)
            return inner[_values.MADE]
        return collect

    get_GeneratorExp = get_ListComp

    def get_SetComp(self, node):
        collect = self.get_ListComp(node)
        return lambda env: set(map(_allowed.key, collect(env)))

    def get_DictComp(self, node):
        key, value = self.expression(node.key), self.expression(node.value)
        walk = self.comprehension(node, lambda env: env[_values.MADE].append((key(env), value(env))))

        def collect(env):
            inner = {**env, _values.MADE: []}
            walk(inner)
            return dict(_allowed.keys_of(inner[_values.MADE]))
        return collect

    # calls

    def arguments(self, nodes):
        """A list of the values of several expressions, some of which may have a star."""
        parts = [(isinstance(n, ast.Starred), self.expression(n.value if isinstance(n, ast.Starred) else n))
                 for n in nodes]
        if any(star for star, _ in parts):
            def spread(env):
                made = []
                for star, part in parts:
                    made.extend(part(env)) if star else made.append(part(env))
                return made
            return spread
        plain = [part for _, part in parts]
        if len(plain) == 1:
            only = plain[0]
            return lambda env: [only(env)]
        return lambda env: [part(env) for part in plain]

    def keywords(self, nodes):
        parts = [(n.arg, self.expression(n.value)) for n in nodes]

        def named(env):
            made = {}
            for name, part in parts:
                if name is None:
                    made.update(part(env))
                else:
                    made[name] = part(env)
            return made
        return named

    def get_Call(self, node):
        root, name = root_of(node.func), dotted(node.func)
        if name is not None and root not in self.locals:
            special = self.dialect.special(name)
            if special is not None:
                return special(self, node)
            cls = self.program.classes.get(name.removesuffix(".__new__")) if name.endswith(".__new__") else None
            if cls is not None:
                return lambda env: _values.Instance(cls)
        args = self.arguments(node.args)
        named = self.keywords(node.keywords) if node.keywords else None
        if name is not None and root not in self.locals:
            found = self.program.find(name)
            if found is not None:
                return lambda env: run(found, args(env), named(env) if named else {})
            known = self.dialect.function(name)
            if known is not None:
                return (lambda env: known(*args(env), **named(env))) if named else lambda env: known(*args(env))
            if not isinstance(node.func, ast.Attribute) or not self.has_value(node.func.value):
                raise Refused(f"the function {name!r} is none that a saved program may call", node)
        if isinstance(node.func, ast.Attribute):
            return self.method_call(node, args, named)
        function = self.expression(node.func)
        return lambda env: run(function(env), args(env), named(env) if named else {})

    def has_value(self, node):
        """Whether what stands before a method's name is a value by itself: `torch.float32.to_real()`."""
        root, name = root_of(node), dotted(node)
        return root in self.locals or self.program.find(name) is not None or self.dialect.value(name)[0] or (
            isinstance(node, ast.Attribute) and self.has_value(node.value))

    def method_call(self, node, args, named):
        owner, name = self.expression(node.func.value), node.func.attr
        if name.startswith("__") and name not in _values.DUNDERS:
            raise Refused(f"the method {name} is Python's own", node)
        return lambda env: invoke(owner(env), name, args(env), named(env) if named else {})
