from units import convert


def main(arguments):
    value, source, target = arguments
    print("%g" % convert(float(value), source, target))
    return 0
