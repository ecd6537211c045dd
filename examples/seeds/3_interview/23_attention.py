"""Part 8, program 23: attention in a sequence-to-sequence model."""
import torch
import torch.nn as nn
import torch.optim as optim     # missing in the article
from torch.nn import functional as F

torch.manual_seed(0)


class SimpleAttention(nn.Module):
    def __init__(self, hidden_size):
        super(SimpleAttention, self).__init__()
        self.hidden_size = hidden_size
        self.attn = nn.Linear(hidden_size * 2, 1)

    def forward(self, hidden, encoder_outputs):
        # hidden (B, H): what the decoder knows now; encoder_outputs (B, S, H)
        # wrong in the article: expand(batch, -1, -1) where the length S is wanted, and the batch was looked for in
        # the time's place
        hidden = hidden.unsqueeze(1).expand(-1, encoder_outputs.size(1), -1)
        attn_energies = self.attn(torch.cat((hidden, encoder_outputs), 2)).squeeze(2)     # (B, S)
        return F.softmax(attn_energies, dim=1)


class SimpleSeq2Seq(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(SimpleSeq2Seq, self).__init__()
        self.hidden_size = hidden_size
        self.encoder = nn.GRU(input_size, hidden_size, num_layers=1, batch_first=True)
        # wrong in the article: GRU(hidden_size, output_size) was fed the target, of another width, and made its state
        # as small as the output; the state stays wide, a Linear makes the output
        self.decoder = nn.GRU(output_size + hidden_size, hidden_size, num_layers=1, batch_first=True)
        self.attn = SimpleAttention(hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input_seq, target_seq):
        encoder_output, state = self.encoder(input_seq)     # (B, S, H), (1, B, H)
        # wrong in the article: the weights scaled the *decoder's* output, and the decoder saw the answer it was to
        # give; they sum the encoder's outputs, and the decoder sees the answer before
        previous = torch.zeros_like(target_seq[:, :1])
        outputs = []
        for step in range(target_seq.size(1)):
            attn_weights = self.attn(state[-1], encoder_output)                            # (B, S)
            context = attn_weights.unsqueeze(1) @ encoder_output                           # (B, 1, H)
            decoder_output, state = self.decoder(torch.cat((previous, context), 2), state)
            outputs.append(self.out(decoder_output))
            previous = target_seq[:, step:step + 1]
        return torch.cat(outputs, 1)


model = SimpleSeq2Seq(input_size=10, hidden_size=20, output_size=1)
criterion = nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=0.01)

# wrong in the article: sequences without a time dimension; here the first feature is to be given back in reverse
input_seq = torch.randn(32, 5, 10)
target_seq = input_seq[:, :, :1].flip(1)

for epoch in range(100):
    optimizer.zero_grad()
    z = model(input_seq, target_seq)
    loss = criterion(z, target_seq)
    loss.backward()
    optimizer.step()
    if epoch in (0, 10, 99):
        print(f"Epoch {epoch}: Loss = {loss.item():.2f}")
print(z.shape)
