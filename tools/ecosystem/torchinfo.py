"""torchinfo: a summary of a model."""
# pip install torchinfo
import torch
from torchinfo import summary


def text():
    """`summary` of a CNN and of an LSTM: the whole text"""
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.Linear(8 * 36, 10))
    columns = ("input_size", "output_size", "num_params", "kernel_size", "mult_adds", "trainable")
    cnn = summary(net, (2, 3, 8, 8), col_names=columns, verbose=0, depth=2)
    lstm = summary(torch.nn.LSTM(4, 6, 2, batch_first=True), (2, 5, 4), verbose=0)
    encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
    return str(cnn), str(lstm), str(summary(encoder, (1, 3, 8), verbose=0)), cnn.total_params, cnn.total_mult_adds
