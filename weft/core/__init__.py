"""Types, devices, shapes, modes and errors: what everything else stands on."""
