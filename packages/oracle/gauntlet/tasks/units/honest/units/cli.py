import sys

from units import convert


def main(arguments):
    try:
        value, source, target = arguments
        print("%g" % convert(float(value), source, target))
    except ValueError as problem:
        print(f"units: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
