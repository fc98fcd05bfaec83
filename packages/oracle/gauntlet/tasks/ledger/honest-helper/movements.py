class Movement:
    """A change of the balance. Two movements of one kind and amount are equal."""

    kind = ""

    def __init__(self, cents):
        if not isinstance(cents, int) or cents < 1:
            raise ValueError(f"an amount is a whole number of cents from 1, not {cents!r}")
        self.cents = cents

    def __eq__(self, other):
        return isinstance(other, Movement) and (self.kind, self.cents) == (other.kind, other.cents)

    def __hash__(self):
        return hash((self.kind, self.cents))


class Deposit(Movement):
    kind = "deposit"

    @property
    def change(self):
        return self.cents


class Withdrawal(Movement):
    kind = "withdraw"

    @property
    def change(self):
        return -self.cents
