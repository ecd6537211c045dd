"""pytorch-tabnet: attention over the columns of tables."""
# pip install pytorch-tabnet scikit-learn scipy tqdm
import numpy as np
import torch
from pytorch_tabnet.tab_model import TabNetRegressor


def regression():
    """TabNetRegressor: three epochs of fit, predict and feature_importances_"""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(128, 5)).astype(np.float32)
    y = (x[:, :1] * 2 + np.sin(x[:, 1:2])).astype(np.float32)
    torch.manual_seed(0)
    model = TabNetRegressor(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0, device_name="cpu")
    model.fit(x, y, max_epochs=3, batch_size=64, virtual_batch_size=32)
    return model.predict(x[:6]), model.feature_importances_.astype(np.float32)
