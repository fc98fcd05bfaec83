import unittest


class LedgerHiddenTest(unittest.TestCase):
    def test_has_nothing_to_take_back(self):
        pass

    def test_takes_everything_back(self):
        pass

    def test_two_ledgers_have_nothing_in_common(self):
        pass

    def test_refuses_what_is_no_int(self):
        pass
