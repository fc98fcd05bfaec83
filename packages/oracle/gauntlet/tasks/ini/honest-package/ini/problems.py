class IniError(ValueError):
    def __init__(self, line, problem):
        super().__init__(f"line {line}: {problem}")
        self.line = line
