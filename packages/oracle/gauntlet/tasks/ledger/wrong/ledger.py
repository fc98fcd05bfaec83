class InsufficientFunds(Exception):
    pass


class Ledger:
    movements = []

    def __init__(self):
        self.balance = 0
        self.movements.clear()

    def deposit(self, cents):
        if cents < 1:
            raise ValueError("an amount is at least 1")
        self.balance += cents
        self.movements.append(("deposit", cents))

    def withdraw(self, cents):
        if cents > self.balance:
            raise InsufficientFunds(cents)
        self.balance -= cents
        self.movements.append(("withdraw", cents))

    def history(self):
        return list(self.movements)

    def undo(self):
        kind, cents = self.movements.pop()
        self.balance += cents if kind == "withdraw" else -cents
        return True
