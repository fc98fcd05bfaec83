"""A token bucket that many threads take from."""

import time
from collections.abc import Callable


class RateLimiter:
    def __init__(self, capacity: float, refill_per_second: float, clock: Callable[[], float] = time.monotonic):
        if capacity <= 0 or refill_per_second <= 0:
            raise ValueError("capacity and refill_per_second have to be above 0")
        self._capacity = capacity
        self._refill_per_second = refill_per_second
        self._clock = clock
        self._tokens = capacity
        self._counted_at = clock()

    def allow(self, cost: float = 1) -> bool:
        if cost <= 0:
            raise ValueError("a request costs more than 0")
        tokens = self._tokens
        now = self._clock()
        tokens = min(self._capacity, tokens + (now - self._counted_at) * self._refill_per_second)
        self._counted_at = now
        if tokens < cost:
            self._tokens = tokens
            return False
        self._tokens = tokens - cost
        return True
