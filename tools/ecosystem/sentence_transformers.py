"""sentence-transformers: a tiny BERT with a vocabulary made here."""
# pip install sentence-transformers
import torch
from sentence_transformers import InputExample, SentenceTransformer, losses, models, util
from transformers import BertConfig, BertModel, BertTokenizerFast

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] a the cat dog sits runs on mat grass and sleeps".split()


def _model():
    with open("vocab.txt", "w") as file:
        file.write("\n".join(WORDS))
    torch.manual_seed(0)
    BertTokenizerFast("vocab.txt").save_pretrained("bert")
    BertModel(BertConfig(vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                         intermediate_size=32)).save_pretrained("bert")
    word = models.Transformer("bert", max_seq_length=12)
    return SentenceTransformer(modules=[word, models.Pooling(16), models.Normalize()], device="cpu")


def encoding():
    """`encode`, cosine similarity, semantic search, saved and loaded"""
    model = _model()
    texts = ["a cat sits on the mat", "the dog runs", "a dog sleeps and sits on grass"]
    made = model.encode(texts, convert_to_tensor=True, show_progress_bar=False)
    model.save("kept")
    again = SentenceTransformer("kept", device="cpu").encode(texts, show_progress_bar=False)
    found = util.semantic_search(made[:1], made, top_k=2)[0]
    return made, again, util.cos_sim(made, made), found, model.similarity(made, made)


def training():
    """three steps with `CosineSimilarityLoss`, then with `MultipleNegativesRankingLoss`"""
    model, seen = _model(), []
    pairs = [InputExample(texts=["a cat sits", "the cat sits"], label=0.9),
             InputExample(texts=["a dog runs", "the cat sleeps"], label=0.1)]
    for loss_of in (losses.CosineSimilarityLoss(model), losses.MultipleNegativesRankingLoss(model)):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for _ in range(3):
            features = [model.tokenize([p.texts[i] for p in pairs]) for i in range(2)]
            loss = loss_of(features, torch.tensor([p.label for p in pairs]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.append(loss)
    return seen
