import threading

import pytest

from rate_limiter import RateLimiter


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class MeetingClock:
    """A clock where threads wait for each other, so that they all stand at the same line at the same moment.

    A limiter that lets only one thread at a time to its clock never completes the meeting; that one wait is given up.
    """

    def __init__(self, threads):
        self._meeting = threading.Barrier(threads)

    def __call__(self):
        try:
            self._meeting.wait(timeout=0.4)
        except threading.BrokenBarrierError:
            pass
        return 100.0


def ask_together(limiter, user_id, threads):
    answers = []
    workers = [
        threading.Thread(target=lambda: answers.append(limiter.allow_request(user_id)), daemon=True)
        for _ in range(threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=5)
    return answers


def test_allows_up_to_the_limit():
    limiter = RateLimiter(3, 10, Clock())
    assert [limiter.allow_request("ann") for _ in range(5)] == [True, True, True, False, False]


def test_each_user_has_a_limit_of_their_own():
    limiter = RateLimiter(1, 10, Clock())
    assert limiter.allow_request("ann")
    assert limiter.allow_request("bob")
    assert not limiter.allow_request("ann")


def test_the_window_slides():
    clock = Clock()
    limiter = RateLimiter(2, 10, clock)
    assert limiter.allow_request("ann")
    clock.now = 6
    assert limiter.allow_request("ann")
    clock.now = 9
    assert not limiter.allow_request("ann")
    clock.now = 10
    assert limiter.allow_request("ann")
    assert not limiter.allow_request("ann")


@pytest.mark.parametrize(("limit", "window"), [(0, 10), (-1, 10), (1, 0), (1, -5)])
def test_refuses_a_limit_or_window_that_allows_nothing(limit, window):
    with pytest.raises(ValueError):
        RateLimiter(limit, window)


def test_two_threads_do_not_share_one_place():
    limiter = RateLimiter(1, 10, MeetingClock(2))
    allowed = ask_together(limiter, "ann", threads=2).count(True)
    assert allowed == 1, f"{allowed} requests at the same moment were allowed, the limit is 1"
