"""What a page of hillock carries, read without a browser. Not here: what it shows."""

import base64
import html.parser
import json


class Page(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the text of each script by its id."""

    def __init__(self, path):
        super().__init__()
        self.text = path.read_text()
        self.elements = []
        self.title = ""
        self.scripts = {}
        self._within = None
        self.feed(self.text)
        self.data = json.loads(self.scripts["data"])

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._within = dict(attrs).get("id", "script") if tag == "script" else tag

    def handle_endtag(self, tag):
        self._within = None

    def handle_data(self, text):
        if self._within == "title":
            self.title += text
        elif self._within is not None and self.elements[-1][0] == "script":
            self.scripts[self._within] = self.scripts.get(self._within, "") + text

    def blob(self, number, dtype):
        import numpy as np
        return np.frombuffer(base64.b64decode(self.scripts[f"blob-{number}"], validate=True), dtype)
