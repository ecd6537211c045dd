"""Question 6: a gradient check: what backward says against what finite differences say."""
import torch
import torch.nn as nn

torch.manual_seed(0)


# wrong in the article: it differentiated a vector, compared the input's gradient with the parameters', and asked for
# gradients under no_grad; and two runs of one backward agree even where both are wrong
def check_gradient(model, inputs, targets, criterion, step=1e-6):
    loss = criterion(model(inputs), targets)
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    worst = 0.0
    for (name, parameter), gradient in zip(model.named_parameters(), gradients):
        numeric = torch.zeros_like(parameter)
        with torch.no_grad():
            for place in range(parameter.numel()):
                entry = parameter.view(-1)
                kept = entry[place].item()
                entry[place] = kept + step
                above = criterion(model(inputs), targets)
                entry[place] = kept - step
                below = criterion(model(inputs), targets)
                entry[place] = kept
                numeric.view(-1)[place] = (above - below) / (2 * step)
        if not torch.allclose(gradient, numeric, atol=1e-5):
            print(f"Gradient mismatch for parameter {name}:\nExpected: {numeric}\nGot: {gradient}")
        worst = max(worst, (gradient - numeric).abs().max().item())
    return worst


model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)).double()     # differences need double precision
inputs = torch.randn(5, 4, dtype=torch.float64)
targets = torch.tensor([0, 1, 2, 1, 0])
print("agree to 1e-8:", check_gradient(model, inputs, targets, nn.CrossEntropyLoss()) < 1e-8)

# the library's own check does the same for any function
print(torch.autograd.gradcheck(lambda x: torch.tanh(x * x), (inputs.requires_grad_(),)))
