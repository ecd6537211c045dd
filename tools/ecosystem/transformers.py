"""transformers: tiny models of random weights."""
# pip install transformers
# pip install accelerate
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    CLIPConfig,
    CLIPModel,
    CLIPTextConfig,
    CLIPVisionConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
    ViTConfig,
    ViTForImageClassification,
    WhisperConfig,
    WhisperForConditionalGeneration,
    get_cosine_schedule_with_warmup,
)

DECODER = dict(vocab_size=97, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
               num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2)
VISION = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=16,
              patch_size=4)


def _train(model, batch, steps=4):
    """Losses of some steps with AdamW, a schedule and clipping, and the weights' sums at the end."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = get_cosine_schedule_with_warmup(optimizer, 1, steps)
    losses = []
    for _ in range(steps):
        loss = model(**batch).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses += [loss, norm]
    model.eval()
    with torch.no_grad():
        logits = model(**batch).logits if hasattr(model(**batch), "logits") else model(**batch).logits_per_image
    return losses, logits


def _tokens(*shape):
    return torch.randint(3, 97, shape)


def bert():
    """BERT classifies: 4 training steps (dropout, AdamW, a schedule, clipping), padded inputs"""
    model = BertForSequenceClassification(BertConfig(vocab_size=97, hidden_size=32, num_hidden_layers=2,
                                                     num_attention_heads=4, intermediate_size=64, num_labels=3))
    ids, mask = _tokens(4, 12), torch.ones(4, 12, dtype=torch.long)
    mask[1, 7:] = mask[3, 4:] = 0
    return _train(model, dict(input_ids=ids, attention_mask=mask, labels=torch.tensor([0, 1, 2, 1])))


def gpt2():
    """GPT-2: 4 training steps"""
    ids = _tokens(3, 16)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=97, n_positions=64, n_embd=32, n_layer=2, n_head=4))
    return _train(model, dict(input_ids=ids, labels=ids))


def llama():
    """Llama: 4 training steps"""
    ids = _tokens(3, 16)
    return _train(LlamaForCausalLM(LlamaConfig(**DECODER)), dict(input_ids=ids, labels=ids))


def mistral():
    """Mistral, with a sliding window: 4 training steps"""
    ids = _tokens(3, 16)
    model = MistralForCausalLM(MistralConfig(**DECODER, sliding_window=8))
    return _train(model, dict(input_ids=ids, labels=ids))


def qwen2():
    """Qwen2: 4 training steps with gradient checkpointing"""
    ids = _tokens(3, 16)
    model = Qwen2ForCausalLM(Qwen2Config(**DECODER))
    model.gradient_checkpointing_enable()
    return _train(model, dict(input_ids=ids, labels=ids))


def t5():
    """T5: 4 training steps, then greedy generation"""
    model = T5ForConditionalGeneration(T5Config(vocab_size=97, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                                decoder_start_token_id=0, pad_token_id=0, eos_token_id=2))
    ids, labels = _tokens(3, 10), _tokens(3, 7)
    return *_train(model, dict(input_ids=ids, labels=labels)), model.generate(ids, max_new_tokens=8)


def vit():
    """ViT classifies pictures: 4 training steps"""
    model = ViTForImageClassification(ViTConfig(**VISION, num_labels=5))
    return _train(model, dict(pixel_values=torch.randn(4, 3, 16, 16), labels=torch.tensor([0, 1, 2, 3])))


def clip():
    """CLIP, with its contrastive loss: 4 training steps"""
    text = CLIPTextConfig(vocab_size=97, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                          num_attention_heads=4, max_position_embeddings=16, eos_token_id=2, bos_token_id=1,
                          pad_token_id=0)
    model = CLIPModel(CLIPConfig(text_config=text.to_dict(), vision_config=CLIPVisionConfig(**VISION).to_dict(),
                                 projection_dim=16))
    ids = _tokens(4, 9)
    ids[:, -1] = 2
    return _train(model, dict(input_ids=ids, pixel_values=torch.randn(4, 3, 16, 16), return_loss=True))


def whisper():
    """Whisper: 4 training steps on made-up spectrograms, then greedy generation"""
    model = WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=97, num_mel_bins=8, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=20,
        max_target_positions=30, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3,
        suppress_tokens=None, begin_suppress_tokens=None))
    batch = dict(input_features=torch.randn(2, 8, 40), labels=_tokens(2, 9))
    return *_train(model, batch), model.generate(batch["input_features"], max_new_tokens=8)


def generate():
    """Llama generates: greedy, beam search, sampled (top-k, top-p, temperature), with scores"""
    model = LlamaForCausalLM(LlamaConfig(**DECODER)).eval()
    ids = _tokens(2, 5)
    greedy = model.generate(ids, max_new_tokens=12, do_sample=False)
    beams = model.generate(ids, max_new_tokens=12, num_beams=4, num_return_sequences=2, do_sample=False,
                           length_penalty=0.8, no_repeat_ngram_size=2)
    sampled = model.generate(ids, max_new_tokens=12, do_sample=True, top_k=20, top_p=0.9, temperature=1.3,
                             repetition_penalty=1.2, return_dict_in_generate=True, output_scores=True)
    beam_sampled = model.generate(ids, max_new_tokens=8, num_beams=3, do_sample=True)
    return greedy, beams, sampled.sequences, sampled.scores, beam_sampled


def saved():
    """`save_pretrained`, `from_pretrained` with safetensors, in float32 and bfloat16"""
    ids = _tokens(2, 8)
    first = LlamaForCausalLM(LlamaConfig(**DECODER)).eval()
    first.save_pretrained("llama")
    second = LlamaForCausalLM.from_pretrained("llama")
    half = LlamaForCausalLM.from_pretrained("llama", dtype=torch.bfloat16)
    with torch.no_grad():
        return (first(ids).logits, second(ids).logits, str(half.dtype), str(half(ids).logits.dtype),
                half.lm_head.weight)


def attentions():
    """Llama with `eager` and `sdpa` attention, hidden states and attentions, a cache step by step"""
    ids, got = _tokens(2, 8), []
    for kind in ("eager", "sdpa"):
        torch.manual_seed(1)
        model = LlamaForCausalLM(LlamaConfig(**DECODER, attn_implementation=kind)).eval()
        with torch.no_grad():
            got.append(model(ids, output_hidden_states=True).hidden_states)
            first = model(ids[:, :5], use_cache=True)
            got.append(model(ids[:, 5:], past_key_values=first.past_key_values).logits)
    return got


class _Sentences(torch.utils.data.Dataset):
    def __init__(self, count):
        self.ids = _tokens(count, 10)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i].clone()}


def trainer():
    """`Trainer`: two epochs, evaluation, a checkpoint, going on from it"""
    data, more = _Sentences(16), _Sentences(6)

    def make(epochs):
        torch.manual_seed(3)
        model = GPT2LMHeadModel(GPT2Config(vocab_size=97, n_positions=64, n_embd=32, n_layer=2, n_head=4))
        options = TrainingArguments("out", num_train_epochs=epochs, per_device_train_batch_size=4, logging_steps=1,
                                    save_strategy="epoch", report_to=[], use_cpu=True, learning_rate=1e-3, seed=5,
                                    gradient_accumulation_steps=2, disable_tqdm=True, max_grad_norm=0.5)
        return Trainer(model=model, args=options, train_dataset=data, eval_dataset=more)
    first = make(1)
    first.train()
    second = make(2)
    second.train(resume_from_checkpoint=True)
    losses = [[h["loss"] for h in t.state.log_history if "loss" in h] for t in (first, second)]
    return losses, second.evaluate()["eval_loss"], second.predict(more).predictions
