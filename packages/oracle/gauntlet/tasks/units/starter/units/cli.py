def main(arguments):
    raise NotImplementedError
