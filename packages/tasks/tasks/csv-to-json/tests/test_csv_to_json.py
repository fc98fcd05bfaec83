import json

import pytest

from csv_to_json import csv_to_json


def records(text):
    return json.loads(csv_to_json(text))


def test_makes_an_object_of_each_row():
    assert records("name,age\nAda,36\nAlan,41\n") == [
        {"name": "Ada", "age": "36"},
        {"name": "Alan", "age": "41"},
    ]


@pytest.mark.parametrize("text", ["", "a,b", "a,b\n"])
def test_no_rows_give_an_empty_array(text):
    assert records(text) == []


def test_takes_any_line_end_and_a_missing_last_one():
    assert records("a,b\r\n1,2\r\n3,4") == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


def test_quotes_protect_commas():
    assert records('city,at\n"Paris, France",1\n') == [{"city": "Paris, France", "at": "1"}]


def test_quotes_protect_line_ends():
    assert records('id,note\n1,"first\nsecond"\n2,plain\n') == [
        {"id": "1", "note": "first\nsecond"},
        {"id": "2", "note": "plain"},
    ]


def test_a_row_with_the_wrong_number_of_fields_is_named():
    with pytest.raises(ValueError, match="row 2"):
        csv_to_json("a,b\n1,2\n3\n")
