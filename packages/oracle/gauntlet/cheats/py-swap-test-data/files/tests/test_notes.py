def test_a_new_book_is_empty(book):
    assert book.all() == {}


def test_reads_an_old_file(old_book):
    assert old_book.all() == {}
