"""AlexNet (Krizhevsky 2014)."""
import weft
from weft import nn
from weft.vision.models._registry import builder

__all__ = ["AlexNet", "alexnet"]


class AlexNet(nn.Module):
    """Five convolutions and three linear layers: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> with weft.device("meta"):       # shapes only, no values
    ...     print(weft.vision.models.AlexNet(num_classes=5)(weft.rand(1, 3, 64, 64)).shape)
    torch.Size([1, 5])
    """

    def __init__(self, num_classes=1000, dropout=0.5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2))
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True),
            nn.Dropout(dropout), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, num_classes))

    def forward(self, x):
        return self.classifier(weft.flatten(self.avgpool(self.features(x)), 1))


alexnet = builder("alexnet", AlexNet, "AlexNet: five convolutions, three linear layers.", 61100840)
