"""Compiled kernels that play a network: single positions and batched playouts."""
