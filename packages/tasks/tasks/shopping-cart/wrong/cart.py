"""A shopping cart with prices in whole cents."""


class Cart:
    _prices: dict[str, int] = {}
    _quantities: dict[str, int] = {}

    def add(self, name: str, price_cents: int, quantity: int = 1) -> None:
        if quantity < 1:
            raise ValueError("a quantity is at least 1")
        self._prices[name] = price_cents
        self._quantities[name] = self._quantities.get(name, 0) + quantity

    def remove(self, name: str) -> None:
        del self._quantities[name]
        del self._prices[name]

    def items(self) -> dict[str, int]:
        return self._quantities

    def total_cents(self) -> int:
        return sum(self._prices[name] * count for name, count in self._quantities.items())
