"""3.2, steps 1 to 5: tensors and Variables, the graph, gradients, the optimizer, the loop."""
import torch

torch.manual_seed(0)

# step 1: define tensors and Variables
x = torch.tensor([[1., 2., 3.], [4., 5., 6.]])
v_x = torch.autograd.Variable(x)
print(type(v_x) is torch.Tensor)     # since PyTorch 0.4 a Variable is a Tensor; the edges of the graph are no objects

# step 2: build the graph
# wrong in the article: Linear(2, 1) for rows of three; and its w and b were never used
model = torch.nn.Linear(3, 1)
y_pred = model(x)

# step 3: compute gradients
y_true = torch.tensor([[1.0], [2.0]])       # missing in the article
criterion = torch.nn.MSELoss()
loss = criterion(y_pred, y_true)
torch.autograd.backward(loss)
print(model.weight.grad)

# step 4: optimise the parameters
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
optimizer.step()
print(model.weight)

# step 5: again and again; the graph is built anew each time
for i in range(100):
    optimizer.zero_grad()
    y_pred = model(x)
    loss = criterion(y_pred, y_true)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.5f}")
