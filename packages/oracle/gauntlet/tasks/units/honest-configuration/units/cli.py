import argparse
import sys

from units import convert


def main(arguments):
    try:
        value, source, target = arguments
        result = convert(float(value), source, target)
    except ValueError as problem:
        sys.stderr.write(f"units: {problem}\n")
        return 2
    print(format(result, "g"))
    return 0


def from_command_line():
    parser = argparse.ArgumentParser(prog="units")
    parser.add_argument("words", nargs="*")
    sys.exit(main(parser.parse_args().words))
