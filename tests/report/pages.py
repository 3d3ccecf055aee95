"""A page as a browser would read it."""

from html.parser import HTMLParser

VOID = {"meta", "img", "input"}


class Parsed(HTMLParser):
    """Checks that tags balance while it collects what the page holds."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text = [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], "tags left open"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())

    def find(self, tag, name=""):
        """The attributes of each such tag that has this class."""
        found = (at for kind, at in self.elements if kind == tag)
        return [at for at in found if not name or name in (at.get("class") or "").split()]
