"""CSV with a header row as a JSON array of objects."""

import json


def split_row(line: str) -> list[str]:
    fields, field, quoted = [], "", False
    for character in line:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += character
    return [*fields, field]


def csv_to_json(text: str) -> str:
    lines = text.splitlines()
    if not lines:
        return "[]"
    header = split_row(lines[0])
    rows = [split_row(line) for line in lines[1:]]
    return json.dumps([{name: row[index] for index, name in enumerate(header)} for row in rows])
