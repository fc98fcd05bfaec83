def slugify(title, limit=None):
    return title
