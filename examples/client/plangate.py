"""A client for `policyctl serve --stdio`, with the standard library only.

    with Gate(["policyctl", "serve", "--stdio"]) as gate:
        gate.open(session="s1")
        plan = gate.plan(session="s1", turn="t1", calls=[...])

Every method of the protocol (spec/serve.md) is a method of Gate that takes its
params by name. It returns the result or raises GateError. Threads may share a
Gate: requests run side by side.
"""

import itertools
import json
import subprocess
import threading


class GateError(Exception):
    """An answer with an error. Go by the code; the message is for people."""

    def __init__(self, code, message, data=None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.data = data or {}


class Gate:
    """A running server. Its death ends every request with ConnectionError."""

    def __init__(self, argv):
        # close_fds (the default) keeps the pipes from programs started later.
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._ids = itertools.count(1)
        self._lock = threading.Lock()  # for writing and for _open
        self._open = {}  # id of a request -> (event, where its answer goes)
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def call(self, method, **params):
        """Send one request and return its result."""
        event, answer = threading.Event(), []
        with self._lock:
            if self._ended:
                raise ConnectionError("the server has ended")
            number = next(self._ids)
            self._open[number] = event, answer
            line = json.dumps({"id": number, "method": method, "params": params}, ensure_ascii=False)
            try:
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()
            except OSError as err:
                del self._open[number]
                raise ConnectionError("the server has ended") from err
        event.wait()
        if not answer:
            raise ConnectionError(f"the server ended before it answered {method}; open the session again and resume")
        if "error" in answer[0]:
            error = answer[0]["error"]
            raise GateError(error["code"], error["message"], error.get("data"))
        return answer[0]["result"]

    def __getattr__(self, method):
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda **params: self.call(method, **params)

    def _read(self):
        """Hand answers to whoever waits for them, until the server ends."""
        for line in self._process.stdout:
            message = json.loads(line)
            with self._lock:
                event, answer = self._open.pop(message["id"], (None, None))
            if event:
                answer.append(message)
                event.set()
        with self._lock:
            self._ended = True
            left, self._open = list(self._open.values()), {}
        for event, _ in left:
            event.set()

    def end(self):
        """End the server in order: what is at work is finished."""
        self._process.stdin.close()
        return self._process.wait()

    def kill(self):
        """End the server at once, as a crash would."""
        self._process.kill()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
