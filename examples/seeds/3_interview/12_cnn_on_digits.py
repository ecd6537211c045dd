"""Part 6, program 12: data prepared by torchvision's transforms, then forward. The pictures are weft's own digits."""
import torch
import torch.nn as nn
import torchvision.datasets
import torchvision.transforms as transforms

torch.manual_seed(0)


class SimpleCNN(nn.Module):
    def __init__(self):
        super(SimpleCNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.fc1 = nn.Linear(20, 50)        # wrong in the article: 320, as in program 2
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = nn.functional.relu(x)
        x = self.conv2(x)
        x = nn.functional.relu(x)
        x = nn.functional.adaptive_avg_pool2d(x, (1, 1))
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = nn.functional.relu(x)
        x = self.fc2(x)
        return x


model = SimpleCNN()

transform = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize((0.5,), (0.5,))
])

# wrong in the article: the transform was never used; here it prepares four digits that come with weft
digits = torchvision.datasets.MNIST(train=False, transform=transform)
x = torch.stack([digits[i][0] for i in range(4)])
print(x.shape, x.min().item(), x.max().item())

z = model(x)
print(z.shape)
