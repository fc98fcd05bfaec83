"""A shopping cart with prices in whole cents."""


class Cart:
    def __init__(self) -> None:
        self._prices: dict[str, int] = {}
        self._quantities: dict[str, int] = {}

    def add(self, name: str, price_cents: int, quantity: int = 1) -> None:
        """Adds some of an item. The price holds for all of the item, those added before included."""
        if price_cents < 0:
            raise ValueError("a price is not negative")
        if quantity < 1:
            raise ValueError("a quantity is at least 1")
        self._prices[name] = price_cents
        self._quantities[name] = self._quantities.get(name, 0) + quantity

    def remove(self, name: str) -> None:
        """Takes all of an item out; KeyError if it is not in the cart."""
        del self._quantities[name]
        del self._prices[name]

    def items(self) -> dict[str, int]:
        """The quantities by name: a copy, so that changing it changes nothing here."""
        return dict(self._quantities)

    def total_cents(self) -> int:
        return sum(self._prices[name] * count for name, count in self._quantities.items())
