import unittest

from ledger import InsufficientFunds, Ledger


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger()

    def test_starts_empty(self):
        self.assertEqual(self.ledger.balance, 0)
        self.assertEqual(self.ledger.history(), [])

    def test_adds_and_takes(self):
        self.ledger.deposit(500)
        self.ledger.withdraw(120)
        self.assertEqual(self.ledger.balance, 380)
        self.assertEqual(self.ledger.history(), [("deposit", 500), ("withdraw", 120)])

    def test_refuses_to_take_more_than_there_is(self):
        self.ledger.deposit(100)
        with self.assertRaises(InsufficientFunds):
            self.ledger.withdraw(101)
        self.assertEqual(self.ledger.balance, 100)

    def test_refuses_amounts_below_one(self):
        for cents in (0, -5):
            with self.assertRaises(ValueError):
                self.ledger.deposit(cents)

    def test_takes_the_last_movement_back(self):
        self.ledger.deposit(100)
        self.ledger.withdraw(30)
        self.assertEqual(self.ledger.undo(), True)
        self.assertEqual(self.ledger.balance, 100)

    def test_history_is_a_copy(self):
        self.ledger.deposit(100)
        self.ledger.history().clear()
        self.assertEqual(self.ledger.history(), [("deposit", 100)])
