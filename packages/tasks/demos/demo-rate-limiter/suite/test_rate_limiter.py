import threading

import pytest

from rate_limiter import RateLimiter


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class MeetingClock(Clock):
    """Once it is armed, threads wait for each other in it; one that comes alone is let go after a moment."""

    def __init__(self):
        super().__init__()
        self.meeting = None

    def __call__(self):
        if self.meeting:
            try:
                self.meeting.wait(timeout=0.3)
            except threading.BrokenBarrierError:
                pass
        return self.now


def test_a_full_bucket_allows_its_capacity():
    limiter = RateLimiter(3, 1, Clock())
    assert [limiter.allow() for _ in range(4)] == [True, True, True, False]


def test_the_bucket_refills_with_time():
    clock = Clock()
    limiter = RateLimiter(1, 0.5, clock)
    assert limiter.allow() is True
    clock.now = 1.0
    assert limiter.allow() is False
    clock.now = 2.0
    assert limiter.allow() is True


def test_a_request_can_cost_more():
    limiter = RateLimiter(5, 1, Clock())
    assert [limiter.allow(3), limiter.allow(3), limiter.allow(2)] == [True, False, True]


def test_refuses_settings_that_allow_nothing():
    with pytest.raises(ValueError):
        RateLimiter(0, 1)
    with pytest.raises(ValueError):
        RateLimiter(1, 0)


def test_two_threads_do_not_take_the_same_token():
    clock, answers = MeetingClock(), []
    limiter = RateLimiter(1, 1, clock)
    clock.meeting = threading.Barrier(2)
    threads = [threading.Thread(target=lambda: answers.append(limiter.allow()), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=5)
    assert sorted(answers) == [False, True]
