"""What the parts of a recorded path, and of the graph that is made of it, are: in numbers."""
# an argument of an op
CONST = 0       # a Python value
SLOT = 1        # output number `index` of the path
EXT = 2         # tensor number `index` from outside
LIST = 3        # a list or tuple of such
REG = 4         # inside a backward: result number `index` of that backward
FREE = 5        # a float that may be another one each time
VALUE = 6       # of a graph: value number `index`

# an event
OP = 0          # an op
SAME = 1        # an op that gave its first input back
BACKWARD = 2    # `loss.backward()`
WRITE = 4       # an output is copied into a tensor from outside: the second half of `x.add_(1)`; or an op fills it
END = 3         # the path goes no further, for a reason
RENAME = 7      # a tensor that the step made stands for another output from now on: the second half of `y.add_(1)`

# a step of a graph: OP and WRITE as above, and
WHOLE = 5       # an op on its whole road, with the program's own tensors: it writes, or its check reads values
FUSED = 6       # a chain of elementwise ops in one pass
