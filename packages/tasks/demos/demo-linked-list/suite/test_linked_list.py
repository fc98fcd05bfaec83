from linked_list import LinkedList


def list_of(*values):
    made = LinkedList()
    for value in values:
        made.insert(value)
    return made


def test_insert_adds_at_the_end():
    assert list(list_of(3, 1, 2)) == [3, 1, 2]


def test_search_finds_what_is_there_and_nothing_else():
    numbers = list_of(3, 1)
    assert [numbers.search(value) for value in (3, 1, 2)] == [True, True, False]


def test_delete_takes_out_one_value_from_the_middle():
    numbers = list_of(3, 1, 2, 1)
    assert numbers.delete(1) is True
    assert list(numbers) == [3, 2, 1]


def test_delete_takes_out_the_first_value():
    numbers = list_of(3, 1)
    assert numbers.delete(3) is True
    assert list(numbers) == [1]


def test_delete_says_that_a_value_is_missing():
    assert LinkedList().delete(1) is False


def test_reverse_turns_the_order_around():
    numbers = list_of(3, 1, 2)
    numbers.reverse()
    assert list(numbers) == [2, 1, 3]
