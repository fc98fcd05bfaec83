import itertools
import sys
import threading

import pytest

import rate_limiter
from rate_limiter import RateLimiter


class Clock:
    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        return self.now


def test_begins_full_and_allows_no_more_than_its_capacity():
    limiter = RateLimiter(4, 1, Clock(50.0))
    assert [limiter.allow() for _ in range(6)] == [True] * 4 + [False] * 2


def test_a_long_silence_fills_no_more_than_the_capacity():
    clock = Clock()
    limiter = RateLimiter(2, 10, clock)
    clock.now = 1000.0
    assert [limiter.allow() for _ in range(4)] == [True, True, False, False]


def test_parts_of_a_token_add_up():
    clock = Clock()
    limiter = RateLimiter(1, 1, clock)
    assert limiter.allow() is True
    answers = []
    for quarter in range(1, 9):
        clock.now = quarter / 4
        answers.append(limiter.allow())
    assert answers == [False, False, False, True] * 2


def test_a_refused_request_takes_nothing():
    limiter = RateLimiter(3, 1, Clock())
    assert limiter.allow(5) is False
    assert limiter.allow(3) is True
    assert limiter.allow(1) is False


@pytest.mark.parametrize(("capacity", "refill"), [(0, 1), (-1, 1), (1, 0), (1, -2)])
def test_refuses_a_bucket_that_allows_nothing(capacity, refill):
    with pytest.raises(ValueError):
        RateLimiter(capacity, refill, Clock())


@pytest.mark.parametrize("cost", [0, -1])
def test_refuses_a_request_that_costs_nothing(cost):
    with pytest.raises(ValueError):
        RateLimiter(1, 1, Clock()).allow(cost)


def test_works_with_its_own_clock():
    limiter = RateLimiter(2, 0.001)
    assert [limiter.allow() for _ in range(3)] == [True, True, False]


class PauseAtLine:
    """Traces a thread and holds it before the given line of the limiter's code, counted as they are run."""

    def __init__(self, line):
        self._left = line
        self.held_or_done = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, frame, event, _argument):
        if frame.f_code.co_filename != rate_limiter.__file__:
            return None
        if event == "line":
            if self._left == 0:
                self.held_or_done.set()
                self.go_on.wait(timeout=5)
            self._left -= 1
        return self


def test_no_moment_to_interrupt_a_request_gives_a_token_twice():
    for line in itertools.count():
        limiter = RateLimiter(1, 1, Clock())
        pause, first_answers, second_answers = PauseAtLine(line), [], []

        def ask_with_a_pause():
            sys.settrace(pause)
            first_answers.append(limiter.allow())
            sys.settrace(None)
            pause.held_or_done.set()

        first = threading.Thread(target=ask_with_a_pause, daemon=True)
        first.start()
        assert pause.held_or_done.wait(timeout=5)
        if first_answers:
            break  # the request has fewer lines than that: every moment was tried
        second = threading.Thread(target=lambda: second_answers.append(limiter.allow()), daemon=True)
        second.start()
        second.join(timeout=0.05)  # a limiter that locks makes it wait for the first
        pause.go_on.set()
        first.join(timeout=5)
        second.join(timeout=5)
        assert sorted(first_answers + second_answers) == [False, True]
