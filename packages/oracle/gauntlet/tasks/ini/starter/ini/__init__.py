from ini.parser import IniError, parse

__all__ = ["IniError", "parse"]
