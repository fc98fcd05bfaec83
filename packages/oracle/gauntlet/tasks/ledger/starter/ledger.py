class InsufficientFunds(Exception):
    pass


class Ledger:
    balance = 0

    def deposit(self, cents):
        raise NotImplementedError

    def withdraw(self, cents):
        raise NotImplementedError

    def history(self):
        raise NotImplementedError

    def undo(self):
        raise NotImplementedError
