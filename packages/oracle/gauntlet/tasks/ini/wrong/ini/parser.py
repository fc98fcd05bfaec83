class IniError(ValueError):
    def __init__(self, line, problem):
        super().__init__(f"line {line}: {problem}")
        self.line = line


def parse(text):
    sections = {}
    name = ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split("#")[0].split(";")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = {}
            continue
        if line.count("=") != 1:
            raise IniError(number, "this is neither a section nor a key with a value")
        key, value = line.split("=")
        if key.strip() in sections.get(name, {}):
            raise IniError(number, f"{key} is there twice")
        sections.setdefault(name, {})[key.strip()] = value.strip().strip('"')
    return sections
