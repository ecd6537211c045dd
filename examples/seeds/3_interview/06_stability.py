"""Part 3, question 2: training by Adam, and a look at the gradients."""
import torch
import torch.optim as optim

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0], requires_grad=True)

loss_fn = torch.nn.MSELoss()
optimizer = optim.Adam([x, y], lr=0.05)

for epoch in range(100):
    optimizer.zero_grad()
    z = x * y
    w = z + y
    # wrong in the article: a target of one number for three outputs; MSELoss warns of it
    loss = loss_fn(w, torch.full((3,), 10.0))
    loss.backward()
    torch.nn.utils.clip_grad_norm_([x, y], max_norm=10.0)       # the text's advice, which the sample left out
    optimizer.step()
    if epoch % 20 == 19:
        print(f"Epoch {epoch}: Loss = {loss.item():.5f}")

print(f"x.grad: {x.grad.norm().item() < 1}")
print(f"y.grad: {y.grad.norm().item() < 1}")
