"""torch.fx.experimental: what is asked about sizes, which are plain numbers here."""
