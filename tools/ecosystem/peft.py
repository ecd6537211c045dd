"""peft: adapters on small models."""
# pip install peft jinja2
import torch
from peft import IA3Config, LoraConfig, PeftModel, PrefixTuningConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel


def _model():
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=61, n_positions=32, n_embd=32, n_layer=2, n_head=4))


def _own_loss(model, ids):
    return model(input_ids=ids, labels=ids).loss


def _double_loss(model, ids):
    """The model's own loss is computed in float32, whatever the model's type is."""
    logits = model(input_ids=ids).logits[:, :-1]
    return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1))


def _train(model, ids, steps=3, loss=_own_loss):
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    losses = []
    for _ in range(steps):
        now = loss(model, ids)
        now.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(now)
    return losses


def lora():
    """LoRA on GPT-2: three steps, saved and loaded again, merged"""
    ids = torch.randint(0, 61, (2, 10))
    model = get_peft_model(_model(), LoraConfig(r=4, lora_alpha=8, target_modules=["c_attn"], task_type="CAUSAL_LM",
                                                lora_dropout=0.1))
    losses = _train(model, ids)
    counts = model.get_nb_trainable_parameters()
    model.eval()
    model.save_pretrained("lora")
    again = PeftModel.from_pretrained(_model(), "lora").eval()
    merged = again.merge_and_unload()
    with torch.no_grad():
        return losses, counts, model(ids).logits, merged(ids).logits


def dora():
    """DoRA on GPT-2: three steps, in float64 (Adam makes whole steps of gradients that are rounding only)"""
    ids = torch.randint(0, 61, (2, 10))
    config = LoraConfig(r=4, target_modules=["c_attn", "c_proj"], use_dora=True, task_type="CAUSAL_LM")
    model = get_peft_model(_model().double(), config).double()
    losses = _train(model, ids, loss=_double_loss)
    return losses, [p for p in model.parameters() if p.requires_grad]


def ia3():
    """IA3 on GPT-2: three steps"""
    ids = torch.randint(0, 61, (2, 10))
    model = get_peft_model(_model(), IA3Config(target_modules=["c_attn", "mlp.c_proj"],
                                               feedforward_modules=["mlp.c_proj"], task_type="CAUSAL_LM"))
    return _train(model, ids), [p for p in model.parameters() if p.requires_grad]


def prefix():
    """Prefix tuning on GPT-2: three steps"""
    ids = torch.randint(0, 61, (2, 10))
    model = get_peft_model(_model(), PrefixTuningConfig(num_virtual_tokens=4, task_type="CAUSAL_LM"))
    return _train(model, ids)
