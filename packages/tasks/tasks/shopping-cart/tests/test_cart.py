import pytest

from cart import Cart


def test_a_new_cart_is_empty():
    cart = Cart()
    assert cart.items() == {}
    assert cart.total_cents() == 0


def test_adds_up_quantities_and_prices():
    cart = Cart()
    cart.add("tea", 450)
    cart.add("tea", 450, quantity=2)
    cart.add("cup", 999)
    assert cart.items() == {"tea": 3, "cup": 1}
    assert cart.total_cents() == 3 * 450 + 999


def test_two_carts_have_nothing_in_common():
    first = Cart()
    second = Cart()
    first.add("lamp", 2500)
    assert second.items() == {}, "what was added to one cart is in the other"


def test_removes_all_of_an_item():
    cart = Cart()
    cart.add("pen", 120, quantity=4)
    cart.remove("pen")
    assert cart.items() == {}
    assert cart.total_cents() == 0


def test_removing_what_is_not_there_is_a_key_error():
    with pytest.raises(KeyError):
        Cart().remove("ghost")


def test_refuses_a_quantity_below_one():
    with pytest.raises(ValueError):
        Cart().add("pen", 120, quantity=0)
