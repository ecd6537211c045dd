"""Whole networks, written once over T (weft or torch): PyTorch's MNIST example, ResNet-18 for 32x32, GPTs, an LSTM
language model.

    net = mnist_cnn(T)          # parameters from T.manual_seed: the two libraries draw the same numbers
"""
import math


def mnist_cnn(T, dropout=True):
    """The network of PyTorch's mnist example: (N, 1, 28, 28) -> (N, 10) log-probabilities."""
    nn, F = T.nn, T.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 32, 3, 1), nn.Conv2d(32, 64, 3, 1)
            self.dropout1, self.dropout2 = nn.Dropout(0.25 if dropout else 0.0), nn.Dropout(0.5 if dropout else 0.0)
            self.fc1, self.fc2 = nn.Linear(9216, 128), nn.Linear(128, 10)

        def forward(self, x):
            x = F.relu(self.conv1(x))
            x = F.max_pool2d(F.relu(self.conv2(x)), 2)
            x = T.flatten(self.dropout1(x), 1)
            x = self.dropout2(F.relu(self.fc1(x)))
            return F.log_softmax(self.fc2(x), dim=1)
    return Net()


def resnet18(T, classes=10):
    """ResNet-18 as used on 32x32 pictures: a 3x3 stem without pooling, 64-128-256-512 channels."""
    nn, F = T.nn, T.nn.functional

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
            self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
            self.short = nn.Sequential()
            if stride != 1 or inputs != outputs:
                self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

        def forward(self, x):
            y = F.relu(self.bn1(self.conv1(x)))
            return F.relu(self.bn2(self.conv2(y)) + self.short(x))

    class ResNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.bn = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
            sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1),
                     (256, 512, 2), (512, 512, 1)]
            self.blocks = nn.Sequential(*[Block(*s) for s in sizes])
            self.fc = nn.Linear(512, classes)

        def forward(self, x):
            x = self.blocks(F.relu(self.bn(self.conv(x))))
            return self.fc(F.avg_pool2d(x, 4).flatten(1))
    return ResNet()


def gpt(T, layers, width, heads, length, vocabulary=65, dropout=0.0):
    """A decoder-only transformer, pre-norm, with tied embeddings: tokens (N, L) -> logits (N, L, vocabulary)."""
    nn, F = T.nn, T.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attention(self, x):
            n, t, c = x.shape
            q, k, v = (part.view(n, t, heads, c // heads).transpose(1, 2)
                       for part in self.attend(x).split(width, dim=2))
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout if self.training else 0.0, is_causal=True)
            return self.project(y.transpose(1, 2).contiguous().view(n, t, c))

        def forward(self, x):
            x = x + self.attention(self.ln_1(x))
            return x + self.down(F.gelu(self.up(self.ln_2(x))))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList([Block() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
            self.tokens.weight = self.head.weight
            for name, p in self.named_parameters():
                if p.dim() > 1:
                    nn.init.normal_(p, 0.0, 0.02 / math.sqrt(2 * layers)
                                    if name.endswith(("project.weight", "down.weight")) else 0.02)

        def forward(self, ids):
            x = self.tokens(ids) + self.places(T.arange(ids.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))
    return GPT()


def lstm_lm(T, vocabulary=2000, width=200):
    """PyTorch's word language model: embedding, a 2-layer LSTM, decoder; tokens (L, N) -> logits (L, N, vocabulary)."""
    nn = T.nn

    class LanguageModel(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.rnn = nn.Embedding(vocabulary, width), nn.LSTM(width, width, 2)
            self.decoder = nn.Linear(width, vocabulary)

        def forward(self, ids, state):
            y, state = self.rnn(self.encoder(ids), state)
            return self.decoder(y), state
    return LanguageModel()
