import re


def slugify(title, limit=None):
    slug = re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
    if limit is not None:
        slug = slug[:limit].strip("-")
    return slug or "untitled"
