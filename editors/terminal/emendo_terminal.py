#!/usr/bin/env python3
"""A conversation with emendo in a terminal: the example of docs/write-a-client.md.

    emendo_terminal.py [--emendo PROGRAM] [FOLDER]

It needs Python 3.9 and nothing else. It draws what emendo says and decides nothing by
itself: Connection speaks the Language Server Protocol, Fold keeps a conversation as it
is told, Screen writes it.
"""

import argparse
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading


class Refused(Exception):
    """The server has answered a request with an error."""


class Connection:
    """A running emendo, spoken to by LSP's frames on its standard input and output."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
        self.sending = threading.Lock()
        self.answers = {}  # by the ID of the request
        self.last = 0
        self.news = queue.Queue()  # (method, params) of notifications, in order; None at the end
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        """Sends a request, and returns the queue that gets its answer."""
        self.last += 1
        answer = self.answers[self.last] = queue.Queue()
        self.send({"id": self.last, "method": method, "params": params})
        return answer

    def request(self, method, params):
        return self.result(self.begin(method, params))

    @staticmethod
    def result(answer):
        message = answer.get()
        if "error" in message:
            raise Refused(message["error"]["message"])
        return message.get("result")

    def read(self):
        out = self.process.stdout
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                break
            self.receive(json.loads(out.read(length)))
        self.news.put(None)
        for answer in self.answers.values():
            answer.put({"error": {"message": "emendo has ended"}})

    def receive(self, message):
        if "method" not in message:
            self.answers.pop(message["id"]).put(message)
        elif "id" in message:  # of the server: this client declares nothing that needs one
            self.send({"id": message["id"], "result": None})
        else:
            self.news.put((message["method"], message.get("params")))


class Fold:
    """A view as the server has told it. Lengths are in UTF-16, LSP's default."""

    def __init__(self, view):
        self.version = view["version"]
        self.items = {}
        self.below = {}  # the IDs below a parent, in order; below "" is the top
        self.questions = {}
        self.hunks = {hunk["id"]: hunk for hunk in view["hunks"]}
        for item in view["items"]:
            self.put(item)
        for question in view["questions"]:
            self.questions[question["id"]] = question

    def apply(self, changes):
        """Applies changes, and returns the IDs of the items that are other than before."""
        touched = []
        for change in changes:
            if "item" in change:
                self.put(change["item"], change)
                touched.append(change["item"]["id"])
            elif "append" in change:
                self.append(change)
                touched.append(change["append"])
            elif "question" in change:
                self.ask(change["question"], change)
            elif "hunk" in change:
                self.hunks[change["hunk"]["id"]] = change["hunk"]
            elif "move" in change:
                self.move(change)
            for gone in change.get("drop", ()):
                self.drop(gone)
        return touched

    def put(self, item, change={}):
        """Adds an item to its parent, or replaces it. A change can say behind which sibling."""
        before = self.items.get(item["id"])
        siblings = self.below.setdefault(item.get("parent", ""), [])
        if before is not None:
            if "parts" not in item and "parts" in before:
                item["parts"] = before["parts"]
            if "after" in change:
                self.below[before.get("parent", "")].remove(item["id"])
        if before is None or "after" in change:
            self.place(siblings, item["id"], change)
        self.items[item["id"]] = item

    @staticmethod
    def place(siblings, id, change):
        """Puts an ID where a change says: behind another, before all for None, else last."""
        after = change.get("after")
        siblings.insert(siblings.index(after) + 1 if after in siblings else 0 if "after" in change else len(siblings), id)

    def ask(self, question, change):
        order = list(self.questions)
        if question["id"] not in order or "after" in change:
            order = [id for id in order if id != question["id"]]
            self.place(order, question["id"], change)
        self.questions[question["id"]] = question
        self.questions = {id: self.questions[id] for id in order}

    def move(self, change):
        """Moves the hunks of a document: each by all that came or went at or above its line."""
        for hunk in self.hunks.values():
            if self.items[hunk["fileId"]]["place"]["uri"] == change["move"]:
                begin, end = hunk["range"]["start"], hunk["range"]["end"]
                by = sum(lines for at, lines in change.get("lines", ()) if at <= begin["line"])
                hunk["range"] = {"start": {**begin, "line": begin["line"] + by}, "end": {**end, "line": end["line"] + by}}
                hunk.update({"version": change["version"]} if "version" in change else {})

    def append(self, change):
        part = self.items[change["append"]]["parts"][change.get("part", 0)]
        units = (part.get("text", "") + change["text"]).encode("utf-16-le", "surrogatepass")
        whole = part.get("omitted", 0) + len(units) // 2
        omitted = change.get("omitted", 0)
        part["text"] = units[2 * (omitted - whole) :].decode("utf-16-le", "replace") if omitted < whole else ""
        part["omitted"] = omitted

    def drop(self, gone):
        self.questions.pop(gone, None)
        self.hunks.pop(gone, None)
        item = self.items.pop(gone, None)
        if item is None:
            return
        self.below[item.get("parent", "")].remove(gone)
        for child in list(self.below.get(gone, ())):
            self.drop(child)

    def all(self, parent=""):
        """Returns all items in the order of the screen."""
        for id in self.below.get(parent, ()):
            yield self.items[id]
            yield from self.all(id)


SIGNS = {"waiting": "○", "asks": "?", "running": "…", "done": "✓", "failed": "✗", "denied": "⊘", "rejected": "⊘", "cancelled": "⊘", "interrupted": "⊘"}
DIM, BOLD, YELLOW, RED, GREEN, PLAIN = "\033[2m", "\033[1m", "\033[33m", "\033[31m", "\033[32m", "\033[0m"
ROWS = {"-": RED, "+": GREEN}


def shown(text):
    """Returns a text that cannot steer the terminal: what is hidden is spelled out."""
    return "".join(c if c in "\n\t" or c.isprintable() else "\\u{%04X}" % ord(c) for c in text)


class Screen:
    """Writes a conversation from top to bottom. What was written is not changed any more, so
    a call is written once it has ended, and an answer while it comes."""

    def __init__(self, fold):
        self.fold = fold
        self.written = {}  # how many characters of an answer, or that an item was written
        self.open = None  # the answer whose line is not ended

    def write(self, text):
        sys.stdout.write(text)
        sys.stdout.flush()

    def line(self, text=""):
        if self.open is not None:
            self.open = None
            self.write("\n")
        self.write(text + "\n")

    def draw(self, ids):
        for id in ids:
            item = self.fold.items.get(id)
            if item is not None:
                getattr(self, "draw_" + item["kind"], self.draw_once)(item)

    def draw_answer(self, item):
        text = item["parts"][0].get("text", "")
        new = text[self.written.get(item["id"], 0) :]
        if not new:
            return
        if self.open != item["id"]:
            self.line()
            self.open = item["id"]
        self.write(shown(new))
        self.written[item["id"]] = len(text)

    def draw_thought(self, item):
        pass  # its subject is the title of the turn

    def draw_user(self, item):
        if not self.written.get(item["id"]):
            self.written[item["id"]] = True
            added = ["@" + line["text"]["text"] for line in item.get("lines", ())]
            texts = [part.get("text", "") for part in item.get("parts", ())]
            self.line(BOLD + "> " + shown("\n> ".join("\n".join(added + texts).split("\n"))) + PLAIN)

    def draw_turn(self, item):
        if item.get("state") == "running" or self.written.get(item["id"]):
            return
        self.written[item["id"]] = True
        facts = " · ".join(line["text"].get("short", line["text"]["text"]) if line.get("id") != "file" else line["text"]["text"] for line in item.get("lines", ()))
        self.line(DIM + item["title"]["text"] + (" " + facts if facts else "") + PLAIN)

    def draw_call(self, item):
        if item.get("state") in ("waiting", "asks", "running"):
            return
        self.draw_once(item)

    def draw_once(self, item):
        if self.written.get(item["id"]):
            return
        self.written[item["id"]] = True
        sign = SIGNS.get(item.get("state"), {"warning": "!", "error": "✗"}.get(item.get("look"), "·"))
        note = item.get("note", {}).get("text", "")
        self.line(f"{sign} {item['title']['text']}{DIM}{'  ' + note if note else ''}{PLAIN}")
        for line in item.get("lines", ()):
            if item["kind"] == "plan":
                self.line(f"  {SIGNS.get(line.get('state'), ' ')} {line['text']['text']}")
        if item["kind"] == "notice" or item.get("state") == "failed":
            self.parts(item)

    def parts(self, of):
        for part in of.get("parts", ()):
            if part.get("label"):
                self.line(DIM + "  " + part["label"]["text"] + ":" + PLAIN)
            for sign, text in part.get("rows", ()):
                self.line(f"  {ROWS.get(sign, '')}{sign} {shown(text)}{PLAIN}")
            for line in part.get("text", "").rstrip("\n").split("\n") if part.get("text") else ():
                self.line("  " + shown(line))

    def question(self, question):
        self.line()
        self.line(YELLOW + "? " + question["title"]["text"] + PLAIN)
        self.parts(question)
        for line in question["lines"]:
            label = line["label"]["text"] + ": " if "label" in line else ""
            warns = line.get("look") == "warning"
            self.line(f"  {YELLOW + '! ' if warns else ''}{label}{line['text']['text']}{PLAIN}")
        for number, option in enumerate(question["options"], 1):
            self.line(f"  [{number}] {option['title']['text']}")


class Conversation:
    """One session: sends prompts, draws what comes, and asks the user."""

    def __init__(self, connection, session):
        self.connection, self.session = connection, session
        self.get()

    def get(self):
        self.fold = Fold(self.connection.request("emendo/view/get", {"sessionId": self.session, "bodies": True}))
        self.screen = Screen(self.fold)
        self.screen.draw([item["id"] for item in self.fold.all()])

    def prompt(self, text):
        blocks = [{"type": "text", "text": text}]
        answer = self.connection.begin("emendo/session/prompt", {"sessionId": self.session, "prompt": blocks})
        while answer.empty():
            self.take(timeout=0.05)
            for question in list(self.fold.questions.values()):
                self.ask(question)
        while self.take():
            pass
        try:
            self.connection.result(answer)
        except Refused as why:
            self.screen.line(RED + str(why) + PLAIN)

    def take(self, timeout=None):
        """Takes the next notification, and reports whether there was one."""
        try:
            news = self.connection.news.get(timeout=timeout) if timeout else self.connection.news.get_nowait()
        except queue.Empty:
            return False
        if news is None:
            sys.exit("emendo has ended")
        method, params = news
        if method == "emendo/view/didChange" and params["sessionId"] == self.session:
            if params["version"] != self.fold.version + 1:
                self.get()  # something was lost
                return True
            self.fold.version = params["version"]
            self.screen.draw(self.fold.apply(params["changes"]))
        return True

    def ask(self, question):
        self.screen.question(question)
        while question["id"] in self.fold.questions:
            try:
                chosen = int(input("  Answer: "))
                option = question["options"][chosen - 1] if chosen > 0 else None
            except EOFError:
                return self.act(question, "reject_once", {})
            except (ValueError, IndexError):
                option = None
            if option is None:
                self.screen.line(f"  Choose a number from 1 to {len(question['options'])}.")
                continue
            values = {field["id"]: [input(f"  {field['label']['text']}: ")] for field in option.get("fields", ())}
            return self.act(question, option["id"], values)

    def act(self, of, action, values):
        params = {"sessionId": self.session, "id": of["id"], "actionId": action, "version": self.fold.version, "values": values}
        try:
            self.connection.request("emendo/view/act", params)
        except Refused as why:
            self.screen.line(RED + str(why) + PLAIN)
        while of["id"] in self.fold.questions and self.take(timeout=5):
            pass


def main():
    arguments = argparse.ArgumentParser(description="A conversation with emendo in a terminal.")
    arguments.add_argument("--emendo", default="emendo", help="the program")
    arguments.add_argument("folder", nargs="?", default=".")
    given = arguments.parse_args()
    folder = pathlib.Path(given.folder).resolve()
    connection = Connection(given.emendo, folder)
    connection.request(
        "initialize",
        {
            "processId": os.getpid(),
            "clientInfo": {"name": "emendo-terminal"},
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
            "capabilities": {"experimental": {"emendo": {"version": 1, "view": 1, "permission": True}}},
        },
    )
    connection.notify("initialized", {})
    session = connection.request("emendo/session/new", {})["session"]["sessionId"]
    conversation = Conversation(connection, session)
    try:
        while True:
            text = input("\n> ")
            if text.strip():
                conversation.prompt(text)
    except (EOFError, KeyboardInterrupt):
        print()
    connection.request("shutdown", None)
    connection.notify("exit", None)


if __name__ == "__main__":
    main()
