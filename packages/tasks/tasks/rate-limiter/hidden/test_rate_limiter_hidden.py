import itertools
import sys
import threading

import rate_limiter
from rate_limiter import RateLimiter


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


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


def test_no_moment_to_interrupt_a_request_lets_another_one_too_many_through():
    for line in itertools.count():
        limiter = RateLimiter(1, 10, Clock())
        pause, first_answers, second_answers = PauseAtLine(line), [], []

        def ask_with_a_pause():
            sys.settrace(pause)
            first_answers.append(limiter.allow_request("ann"))
            sys.settrace(None)
            pause.held_or_done.set()

        first = threading.Thread(target=ask_with_a_pause, daemon=True)
        first.start()
        assert pause.held_or_done.wait(timeout=5)
        if first_answers:
            break  # the request has fewer lines than that: every moment was tried
        second = threading.Thread(target=lambda: second_answers.append(limiter.allow_request("ann")), daemon=True)
        second.start()
        second.join(timeout=0.05)  # a limiter that locks makes it wait for the first
        pause.go_on.set()
        first.join(timeout=5)
        second.join(timeout=5)
        assert sorted(first_answers + second_answers) == [False, True]


def test_refused_requests_do_not_count():
    clock = Clock()
    limiter = RateLimiter(1, 10, clock)
    assert limiter.allow_request("ann")
    for second in range(1, 10):
        clock.now = second
        assert not limiter.allow_request("ann")
    clock.now = 10
    assert limiter.allow_request("ann")


def test_a_burst_after_a_long_silence_gets_no_more_than_the_limit():
    clock = Clock()
    limiter = RateLimiter(4, 2.5, clock)
    for _ in range(4):
        assert limiter.allow_request("ann")
    clock.now = 1000
    assert [limiter.allow_request("ann") for _ in range(6)] == [True] * 4 + [False] * 2


def test_works_with_its_own_clock():
    limiter = RateLimiter(2, 3600)
    assert [limiter.allow_request("ann") for _ in range(3)] == [True, True, False]
