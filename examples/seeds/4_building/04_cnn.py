"""5.2 and 5.4: a convolutional network, its training, and the loss in TensorBoard's files."""
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F     # missing in the article
import torch.optim as optim
# wrong in the article: from tensorboard import SummaryWriter; it is torch's
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)


class CNN(nn.Module):
    def __init__(self):
        super(CNN, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.view(-1, 16 * 5 * 5)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return x


if __name__ == "__main__":
    model = CNN()       # missing in the article
    # with the article's rate, 0.001, ten steps hardly move the loss; its printed losses are not of this program
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()

    train_data = torch.randn(5, 3, 32, 32)
    # wrong in the article: labels of shape (5, 1); CrossEntropyLoss takes one class for each picture, (5,)
    train_labels = torch.randint(0, 10, (5,))

    with tempfile.TemporaryDirectory() as logs:
        writer = SummaryWriter(logs)
        for i in range(10):
            optimizer.zero_grad()
            outputs = model(train_data)
            loss = criterion(outputs, train_labels)
            loss.backward()
            optimizer.step()
            writer.add_scalar('train_loss', loss.item(), i)
            print(f"Epoch {i + 1}, loss: {loss.item():.2f}")
        writer.close()
        print(len(os.listdir(logs)), "file of events")
