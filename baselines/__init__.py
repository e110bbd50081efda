"""Bots, and the arena that measures players."""
