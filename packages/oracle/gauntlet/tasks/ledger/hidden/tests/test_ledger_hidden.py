import unittest

from ledger import Ledger


class LedgerHiddenTest(unittest.TestCase):
    def test_has_nothing_to_take_back(self):
        self.assertIs(Ledger().undo(), False)

    def test_takes_everything_back(self):
        ledger = Ledger()
        ledger.deposit(7)
        ledger.deposit(11)
        self.assertEqual([ledger.undo(), ledger.undo(), ledger.undo()], [True, True, False])
        self.assertEqual((ledger.balance, ledger.history()), (0, []))

    def test_two_ledgers_have_nothing_in_common(self):
        first, second = Ledger(), Ledger()
        first.deposit(9)
        self.assertEqual((second.balance, second.history()), (0, []))

    def test_refuses_what_is_no_int(self):
        ledger = Ledger()
        for cents in (1.5, "2", None):
            with self.assertRaises(ValueError):
                ledger.withdraw(cents)
        self.assertEqual(ledger.history(), [])
