"""CSV with a header row as a JSON array of objects."""

import csv
import io
import json


def csv_to_json(text: str) -> str:
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    if not rows:
        return "[]"
    header, *body = rows
    repeated = [name for index, name in enumerate(header) if name in header[:index]]
    if repeated:
        raise ValueError(f"column {repeated[0]!r} is there twice")
    for number, row in enumerate(body, start=1):
        if len(row) != len(header):
            raise ValueError(f"row {number} has {len(row)} fields and the header has {len(header)}")
    return json.dumps([dict(zip(header, row)) for row in body])
