import unittest

from amounts import AMOUNTS
from movements import Deposit, Withdrawal


class MovementsTest(unittest.TestCase):
    def test_are_equal_by_kind_and_amount(self):
        for cents in AMOUNTS:
            self.assertEqual(Deposit(cents), Deposit(cents))
            self.assertNotEqual(Deposit(cents), Withdrawal(cents))
