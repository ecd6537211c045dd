"""6.1: pictures of CIFAR-10's form through a DataLoader. CIFAR-10 itself is a download; FakeData has its shapes.

With the files in ./data say download=False and the same line as in the article:
    torchvision.datasets.CIFAR10(root='./data', train=True, transform=transform)
"""
import importlib

import torch
import torch.nn as nn
import torch.optim as optim
import torchvision
import torchvision.transforms as transforms

CNN = importlib.import_module("04_cnn").CNN     # the model of 5.2

torch.manual_seed(0)

transform = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
])
train_dataset = torchvision.datasets.FakeData(size=128, image_size=(3, 32, 32), num_classes=10, transform=transform)
train_loader = torch.utils.data.DataLoader(train_dataset, batch_size=64, shuffle=True)

model = CNN()
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
criterion = nn.CrossEntropyLoss()       # missing in the article's sample

for epoch in range(2):
    for i, (inputs, labels) in enumerate(train_loader):
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        print(f"Epoch {epoch + 1}, batch {i + 1}, loss: {loss.item():.1f}")
