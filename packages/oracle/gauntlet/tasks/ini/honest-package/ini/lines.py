from dataclasses import dataclass

from ini.problems import IniError


@dataclass
class Blank:
    pass


@dataclass
class Section:
    name: str


@dataclass
class Pair:
    number: int
    key: str
    value: str


def lines_of(text):
    for number, line in enumerate(text.splitlines(), start=1):
        yield line_of(number, line.strip())


def line_of(number, line):
    if not line or line[0] in ";#":
        return Blank()
    if line.startswith("[") and line.endswith("]"):
        return Section(line[1:-1].strip())
    key, equals, value = (part.strip() for part in line.partition("="))
    if not equals or not key:
        raise IniError(number, "this is neither a section nor a key with a value")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return Pair(number, key, value)
