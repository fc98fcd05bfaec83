from ledger import Ledger


def test_ledger_exists():
    assert Ledger() is not None
