"""trl: language models that learn from preferences."""
# pip install trl datasets
import tempfile

import torch
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from tokenizers import Tokenizer, models, pre_tokenizers
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer


def _parts():
    words = {word: i for i, word in enumerate("<pad> <eos> <unk> a b c d e f g h yes no good bad".split())}
    plain = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokens = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    torch.manual_seed(0)
    net = GPT2LMHeadModel(GPT2Config(vocab_size=len(words), n_positions=32, n_embd=16, n_layer=2, n_head=2,
                                     resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=1, eos_token_id=1))
    return net, tokens


def _losses(trainer):
    trainer.train()
    return [torch.tensor(row["loss"]) for row in trainer.state.log_history if "loss" in row]


def supervised():
    """SFTTrainer: a tiny GPT-2, four steps on texts"""
    net, tokens = _parts()
    data = Dataset.from_dict({"text": ["a b c d yes", "e f g h no", "a c e g good", "b d f h bad"] * 4})
    with tempfile.TemporaryDirectory() as folder:
        options = SFTConfig(output_dir=folder, max_steps=4, per_device_train_batch_size=4, logging_steps=1, report_to="none",
                            use_cpu=True, learning_rate=1e-2, seed=1, max_length=16, bf16=False,
                            gradient_checkpointing=False, disable_tqdm=True)
        return _losses(SFTTrainer(net, args=options, train_dataset=data, processing_class=tokens))


def preferences():
    """DPOTrainer: four steps on pairs of which one is preferred"""
    net, tokens = _parts()
    data = Dataset.from_dict({"prompt": ["a b c", "d e f", "g h a", "b c d"] * 4, "chosen": [" yes good", " good"] * 8,
                              "rejected": [" no", " bad bad"] * 8})
    with tempfile.TemporaryDirectory() as folder:
        options = DPOConfig(output_dir=folder, max_steps=4, per_device_train_batch_size=4, logging_steps=1,
                            report_to="none", use_cpu=True, learning_rate=1e-2, seed=1, max_length=16, bf16=False,
                            gradient_checkpointing=False, disable_tqdm=True)
        return _losses(DPOTrainer(net, args=options, train_dataset=data, processing_class=tokens))
