"""Durations as short texts, such as "1h 2m 5s"."""
