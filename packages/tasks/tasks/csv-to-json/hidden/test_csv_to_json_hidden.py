import json

import pytest

from csv_to_json import csv_to_json


def records(text):
    return json.loads(csv_to_json(text))


def test_doubled_quotes_are_one():
    assert records('say\n"He said ""no"""\n') == [{"say": 'He said "no"'}]


def test_empty_fields_stay_empty_texts():
    assert records('a,b,c\n,"",x\n') == [{"a": "", "b": "", "c": "x"}]


def test_blank_lines_are_no_rows():
    assert records("a,b\n\n1,2\n\n\n3,4\n\n") == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


def test_keeps_the_order_of_the_columns():
    assert list(records("z,a,m\n1,2,3\n")[0]) == ["z", "a", "m"]


def test_space_belongs_to_the_field():
    assert records("a,b\n 1 , 2\n") == [{"a": " 1 ", "b": " 2"}]


def test_keeps_what_is_not_ascii():
    assert records("name\nÅse\n") == [{"name": "Åse"}]


@pytest.mark.parametrize("text", ["a,b\n1,2,3\n", "a,b\n\n1\n"])
def test_names_the_first_row_that_does_not_fit(text):
    with pytest.raises(ValueError, match="row 1"):
        csv_to_json(text)


def test_refuses_a_column_that_is_there_twice():
    with pytest.raises(ValueError, match="name"):
        csv_to_json("name,age,name\nA,1,B\n")
