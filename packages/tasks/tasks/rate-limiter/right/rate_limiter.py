"""A sliding-window rate limiter for many users and many threads."""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable


class RateLimiter:
    """Allows each user `limit` requests in any `window_seconds`. May be used from many threads."""

    def __init__(self, limit: int, window_seconds: float, clock: Callable[[], float] = time.monotonic):
        if limit < 1 or window_seconds <= 0:
            raise ValueError("the limit is at least 1 and the window longer than 0")
        self._limit = limit
        self._window = window_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._allowed: defaultdict[str, deque[float]] = defaultdict(deque)

    def allow_request(self, user_id: str) -> bool:
        """Whether the user may make a request now. One that is refused does not count."""
        with self._lock:  # reading the time, counting and recording must be one step
            now = self._clock()
            allowed = self._allowed[user_id]
            while allowed and now - allowed[0] >= self._window:
                allowed.popleft()
            if len(allowed) >= self._limit:
                return False
            allowed.append(now)
            return True
