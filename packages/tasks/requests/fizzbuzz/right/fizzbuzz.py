def fizzbuzz(n):
    words = ("Fizz" if n % 3 == 0 else "") + ("Buzz" if n % 5 == 0 else "")
    return words or str(n)


if __name__ == "__main__":
    print("\n".join(fizzbuzz(n) for n in range(1, 101)))
