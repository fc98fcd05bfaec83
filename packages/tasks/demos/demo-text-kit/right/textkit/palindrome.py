def is_palindrome(text: str) -> bool:
    letters = [letter for letter in text.lower() if letter.isalnum()]
    return letters == letters[::-1]
