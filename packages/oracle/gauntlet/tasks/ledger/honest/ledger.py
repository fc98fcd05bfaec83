class InsufficientFunds(Exception):
    pass


class Ledger:
    def __init__(self):
        self._movements = []

    @property
    def balance(self):
        return sum(cents if kind == "deposit" else -cents for kind, cents in self._movements)

    def deposit(self, cents):
        self._movements.append(("deposit", checked(cents)))

    def withdraw(self, cents):
        if checked(cents) > self.balance:
            raise InsufficientFunds(f"{cents} cents of {self.balance}")
        self._movements.append(("withdraw", cents))

    def history(self):
        return list(self._movements)

    def undo(self):
        if not self._movements:
            return False
        self._movements.pop()
        return True


def checked(cents):
    if not isinstance(cents, int) or cents < 1:
        raise ValueError(f"an amount is a whole number of cents from 1, not {cents!r}")
    return cents
