"""The numbers by which ops name their native loops; cpp/pointwise_codes.h and native.pyx know them too."""
BINARY = {"add": 0, "sub": 1, "mul": 2, "div": 3, "maximum": 4, "minimum": 5,
          "tanh_backward": 6, "sigmoid_backward": 7, "relu_backward": 8,
          "pow": 9, "atan2": 10, "hypot": 11, "logaddexp": 12, "gelu_backward": 13, "gelu_tanh_backward": 14,
          "silu_backward": 15, "eq": 16, "ne": 17, "lt": 18, "le": 19, "gt": 20, "ge": 21,
          "mish_backward": 22, "hardswish_backward": 23, "hardsigmoid_backward": 24, "logsigmoid_backward": 25,
          "fmod": 26, "mm": 64, "mm_nt": 65, "mm_tn": 66}
UNARY = {name: code for code, name in enumerate(
    ("neg", "exp", "log", "tanh", "sigmoid", "relu", "sqrt", "abs", "sin", "cos", "reciprocal", "square", "rsqrt",
     "expm1", "exp2", "log1p", "log2", "log10", "tan", "atan", "asin", "acos", "sinh", "cosh", "asinh", "acosh",
     "atanh", "erf", "erfc", "ndtr", "floor", "ceil", "trunc", "round", "sign", "gelu", "gelu_tanh", "silu", "mish",
     "hardswish", "hardsigmoid", "logsigmoid"))}
VIEWS = {"transpose": 1, "t": 2, "unsqueeze": 3, "view": 4, "expand": 5}
