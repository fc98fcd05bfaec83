import re
import unicodedata


def slugify(title, limit=None):
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = "-".join(re.findall("[a-z0-9]+", plain.lower()))
    if limit is not None and len(slug) > limit:
        slug = slug[: limit + 1].rpartition("-")[0] or slug[:limit]
    return slug or "untitled"
