def main(arguments):
    print("3000")
    return 0
