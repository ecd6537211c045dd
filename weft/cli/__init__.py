"""The commands of `weft ...`, one file each; `main` finds them by their names."""
