"""What exists only because PyTorch programs import it.

A file here is a module of the package whose name its folder has: compat/_C.py is `weft._C`, compat/autograd/variable.py
is `weft.autograd.variable`. Python's own means do that: such a package's `__init__.py` calls `parts(globals(), ...)`
(core/namespace.py), which adds the folder here to the package's `__path__`, the folders where Python looks for its
modules. What stands beside the package comes first, so nothing here can hide it.

So each module has one name, the one that PyTorch gives it: this package has no folder to look in, and
`import weft.compat._C` finds nothing. To add a module, write the file; to show it in `dir()` and let it be reached as
an attribute without an import, name it in the `parts` of its package.
"""
__path__ = []
