def slugify(title, limit=None):
    raise NotImplementedError
