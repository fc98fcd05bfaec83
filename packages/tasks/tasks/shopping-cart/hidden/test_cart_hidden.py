import pytest

from cart import Cart


def test_many_carts_stay_apart():
    carts = [Cart() for _ in range(5)]
    for index, cart in enumerate(carts):
        cart.add(f"item {index}", 100 + index)
    assert [cart.total_cents() for cart in carts] == [100, 101, 102, 103, 104]


def test_a_change_of_the_listing_does_not_change_the_cart():
    cart = Cart()
    cart.add("book", 1500)
    cart.items()["book"] = 99
    cart.items()["stolen"] = 1
    assert cart.items() == {"book": 1}
    assert cart.total_cents() == 1500


def test_a_new_price_holds_for_all_of_the_item():
    cart = Cart()
    cart.add("mug", 800, quantity=2)
    cart.add("mug", 700)
    assert cart.total_cents() == 3 * 700


def test_a_refused_addition_changes_nothing():
    cart = Cart()
    cart.add("mug", 800)
    with pytest.raises(ValueError):
        cart.add("mug", 100, quantity=-2)
    with pytest.raises(ValueError):
        cart.add("spoon", -1)
    assert cart.items() == {"mug": 1}
    assert cart.total_cents() == 800
