"""The numbers by which ops name their native loops; loops.h and native.pyx know them too."""
BINARY = {"add": 0, "sub": 1, "mul": 2, "div": 3, "maximum": 4, "minimum": 5,
          "tanh_backward": 6, "sigmoid_backward": 7, "relu_backward": 8, "mm": 64, "mm_nt": 65, "mm_tn": 66,
          "eq": 16, "ne": 17, "lt": 18, "le": 19, "gt": 20, "ge": 21}
UNARY = {name: code for code, name in enumerate(
    ("neg", "exp", "log", "tanh", "sigmoid", "relu", "sqrt", "abs", "sin", "cos", "reciprocal", "square", "rsqrt"))}
VIEWS = {"transpose": 1, "t": 2, "unsqueeze": 3, "view": 4, "expand": 5}
