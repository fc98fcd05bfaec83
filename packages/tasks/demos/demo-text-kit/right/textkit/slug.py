import re


def slug(text: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))
