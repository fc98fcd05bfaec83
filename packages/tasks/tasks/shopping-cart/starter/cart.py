"""A shopping cart with prices in whole cents."""


class Cart:
    def add(self, name: str, price_cents: int, quantity: int = 1) -> None:
        raise NotImplementedError

    def remove(self, name: str) -> None:
        raise NotImplementedError

    def items(self) -> dict[str, int]:
        raise NotImplementedError

    def total_cents(self) -> int:
        raise NotImplementedError
