"""Games as GDL text: read, checked, grounded, and played by a network of gates."""
