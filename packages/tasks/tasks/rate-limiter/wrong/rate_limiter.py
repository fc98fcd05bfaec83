"""A sliding-window rate limiter for many users and many threads."""

import time
from collections import defaultdict, deque
from collections.abc import Callable


class RateLimiter:
    def __init__(self, limit: int, window_seconds: float, clock: Callable[[], float] = time.monotonic):
        if limit < 1 or window_seconds <= 0:
            raise ValueError("the limit is at least 1 and the window longer than 0")
        self._limit = limit
        self._window = window_seconds
        self._clock = clock
        self._allowed: defaultdict[str, deque[float]] = defaultdict(deque)

    def allow_request(self, user_id: str) -> bool:
        allowed = self._recent(user_id)
        if len(allowed) >= self._limit:
            return False
        allowed.append(self._clock())
        return True

    def _recent(self, user_id: str) -> deque[float]:
        allowed = self._allowed[user_id]
        now = self._clock()
        while allowed and now - allowed[0] >= self._window:
            allowed.popleft()
        return allowed
