import re
from collections import Counter


def word_count(text: str) -> dict[str, int]:
    return dict(Counter(re.findall(r"\w+", text.lower())))
