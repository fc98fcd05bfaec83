class IniError(ValueError):
    def __init__(self, line, problem):
        super().__init__(f"line {line}: {problem}")
        self.line = line


def parse(text):
    sections = {}
    name = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line[0] in ";#":
            continue
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].strip()
            sections.setdefault(name, {})
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key:
            raise IniError(number, "this is neither a section nor a key with a value")
        section = sections.setdefault(name, {})
        if key in section:
            raise IniError(number, f"{key} is there twice")
        section[key] = unquoted(value)
    return sections


def unquoted(value):
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] == '"' else value
