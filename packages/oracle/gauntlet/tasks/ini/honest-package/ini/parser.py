from ini.lines import Blank, Pair, Section, lines_of
from ini.problems import IniError

__all__ = ["IniError", "parse"]


def parse(text):
    sections = {}
    name = ""
    for line in lines_of(text):
        match line:
            case Blank():
                continue
            case Section(name):
                sections.setdefault(name, {})
            case Pair(number, key, value):
                section = sections.setdefault(name, {})
                if key in section:
                    raise IniError(number, f"{key} is there twice")
                section[key] = value
    return sections
