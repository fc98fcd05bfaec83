"""Addresses from titles."""

import re
import sys
import unicodedata

WORD = re.compile("[a-z0-9]+")


def slugify(title, limit=None):
    words = WORD.findall(unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower())
    slug = "-".join(words)
    while limit is not None and len(slug) > limit and len(words) > 1:
        words.pop()
        slug = "-".join(words)
    return slug[:limit] or "untitled"


def main():
    print(slugify(" ".join(sys.argv[1:])))
    sys.exit(0)


if __name__ == "__main__":
    main()
