"""Part 1, 3.3: what nobody holds is let go at once."""
import weakref

import torch
import torch.nn as nn

torch.manual_seed(0)

input_tensor = torch.randn(10, 5)
linear_layer = nn.Linear(in_features=5, out_features=3)
output_tensor = linear_layer(input_tensor)
watched = [weakref.ref(thing) for thing in (input_tensor, linear_layer, output_tensor)]

del input_tensor        # the graph behind the output keeps only the *values* that its backward needs
del linear_layer
del output_tensor       # and this lets go of the graph

print([reference() is None for reference in watched])
