import re
from typing import Iterator, NamedTuple


class Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


RULES = [
    ("NUMBER", r"\d+(?:\.\d+)?"),
    ("STRING", r'"(?:\\.|[^"\\])*"'),
    ("NAME", r"[A-Za-z_][A-Za-z0-9_]*"),
    ("OP", r"[-+*/%=<>!]=?|[(){}\[\],;]"),
    ("NEWLINE", r"\n"),
    ("SKIP", r"[ \t]+"),
    ("MISMATCH", r"."),
]

PATTERN = re.compile("|".join(f"(?P<{name}>{rule})" for name, rule in RULES))
KEYWORDS = {"if", "else", "while", "return", "func", "let"}


def tokenize(source: str) -> Iterator[Token]:
    line, start = 1, 0
    for match in PATTERN.finditer(source):
        kind, text = match.lastgroup, match.group()
        column = match.start() - start
        if kind == "NEWLINE":
            start = match.end()
            line += 1
            continue
        if kind == "SKIP":
            continue
        if kind == "MISMATCH":
            raise SyntaxError(f"line {line}: unexpected {text!r}")
        if kind == "NAME" and text in KEYWORDS:
            kind = text.upper()
        yield Token(kind, text, line, column)


class Parser:
    def __init__(self, source: str):
        self.tokens = list(tokenize(source))
        self.position = 0

    def peek(self):
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        return None

    def expect(self, kind: str) -> Token:
        token = self.peek()
        if token is None or token.kind != kind:
            found = "end of input" if token is None else token.text
            raise SyntaxError(f"expected {kind}, found {found}")
        self.position += 1
        return token

    def parse_sum(self):
        left = self.parse_product()
        while (token := self.peek()) and token.text in "+-":
            self.position += 1
            right = self.parse_product()
            left = (token.text, left, right)
        return left

    def parse_product(self):
        left = self.parse_atom()
        while (token := self.peek()) and token.text in "*/%":
            self.position += 1
            right = self.parse_atom()
            left = (token.text, left, right)
        return left

    def parse_atom(self):
        token = self.peek()
        if token is None:
            raise SyntaxError("unexpected end of input")
        if token.kind == "NUMBER":
            self.position += 1
            return float(token.text)
        if token.text == "(":
            self.position += 1
            inner = self.parse_sum()
            self.expect("OP")
            return inner
        return self.expect("NAME").text
