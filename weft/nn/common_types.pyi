"""Types of the sizes that layers take: one number, or one for each dimension."""
# made by tools/stubs.py

