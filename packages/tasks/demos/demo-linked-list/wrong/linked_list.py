"""A singly linked list."""


class _Node:
    def __init__(self, value):
        self.value = value
        self.next = None


class LinkedList:
    def __init__(self):
        self._head = None

    def insert(self, value):
        if self._head is None:
            self._head = _Node(value)
            return
        node = self._head
        while node.next:
            node = node.next
        node.next = _Node(value)

    def delete(self, value):
        node = self._head
        while node and node.next:
            if node.next.value == value:
                node.next = node.next.next
                return True
            node = node.next
        return False

    def search(self, value):
        return any(other == value for other in self)

    def reverse(self):
        turned, node = None, self._head
        while node:
            node.next, turned, node = turned, node, node.next
        self._head = turned

    def __iter__(self):
        node = self._head
        while node:
            yield node.value
            node = node.next
