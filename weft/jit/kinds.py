"""What the parts of a recorded path are, in numbers."""
# an argument of an op
CONST = 0       # a Python value
SLOT = 1        # output number `index` of the path
EXT = 2         # tensor number `index` from outside
LIST = 3        # a list or tuple of such
REG = 4         # inside a backward: result number `index` of that backward
FREE = 5        # a float that may be another one each time

# an event
OP = 0          # an op
SAME = 1        # an op that gave its first input back
BACKWARD = 2    # `loss.backward()`
WRITE = 4       # an output is copied into a tensor from outside: the second half of `x.add_(1)`
END = 3         # the path goes no further, for a reason
