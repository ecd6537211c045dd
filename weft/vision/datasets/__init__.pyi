"""torchvision.datasets: pictures from files of the usual formats."""
# made by tools/stubs.py

from weft.vision.datasets import utils as utils
from weft.vision.datasets.annotated import CocoCaptions as CocoCaptions
from weft.vision.datasets.annotated import CocoDetection as CocoDetection
from weft.vision.datasets.annotated import VOCDetection as VOCDetection
from weft.vision.datasets.annotated import VOCSegmentation as VOCSegmentation
from weft.vision.datasets.cifar import CIFAR10 as CIFAR10
from weft.vision.datasets.cifar import CIFAR100 as CIFAR100
from weft.vision.datasets.cifar import STL10 as STL10
from weft.vision.datasets.cifar import SVHN as SVHN
from weft.vision.datasets.fakedata import FakeData as FakeData
from weft.vision.datasets.folder import DatasetFolder as DatasetFolder
from weft.vision.datasets.folder import ImageFolder as ImageFolder
from weft.vision.datasets.likemnist import EMNIST as EMNIST
from weft.vision.datasets.likemnist import KMNIST as KMNIST
from weft.vision.datasets.likemnist import FashionMNIST as FashionMNIST
from weft.vision.datasets.mnist import MNIST as MNIST
from weft.vision.datasets.vision import VisionDataset as VisionDataset
