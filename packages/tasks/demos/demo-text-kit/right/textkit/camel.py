def camel(name: str) -> str:
    first, *others = [part for part in name.split("_") if part] or [""]
    return first.lower() + "".join(part.capitalize() for part in others)
