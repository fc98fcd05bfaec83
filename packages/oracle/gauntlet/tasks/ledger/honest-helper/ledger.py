from movements import Deposit, Withdrawal


class InsufficientFunds(Exception):
    pass


class Ledger:
    def __init__(self):
        self._movements = []

    @property
    def balance(self):
        return sum(movement.change for movement in self._movements)

    def deposit(self, cents):
        self._movements.append(Deposit(cents))

    def withdraw(self, cents):
        movement = Withdrawal(cents)
        if self.balance + movement.change < 0:
            raise InsufficientFunds(f"{cents} cents of {self.balance}")
        self._movements.append(movement)

    def history(self):
        return [(movement.kind, movement.cents) for movement in self._movements]

    def undo(self):
        if not self._movements:
            return False
        self._movements.pop()
        return True
