"""A sliding-window rate limiter for many users and many threads."""

import time
from collections.abc import Callable


class RateLimiter:
    def __init__(self, limit: int, window_seconds: float, clock: Callable[[], float] = time.monotonic):
        raise NotImplementedError

    def allow_request(self, user_id: str) -> bool:
        raise NotImplementedError
