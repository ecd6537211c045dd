"""torchvision.models.detection: things found in pictures."""
