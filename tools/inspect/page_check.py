"""Checks that a page of `eyrie inspect --html` is well formed and safe.

`python3 page_check.py page.html`: elements are closed in order, links lead to
places in the page, and nothing is loaded from elsewhere. Prints counts.
"""

import html.parser
import re
import sys

VOID = {"meta", "link", "br", "img", "input"}


class Page(html.parser.HTMLParser):
    """Collects the contents of a page, and its errors."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.wrong = [], set(), [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                if value in self.ids:
                    self.wrong.append("two places are called " + value)
                self.ids.add(value)
            elif name == "href":
                self.links.append(value)
            elif name in ("src", "srcset", "action") or name[:2] == "on":
                self.wrong.append("<%s %s>" % (tag, name))
        if tag in ("script", "iframe", "object", "embed", "link", "img"):
            self.wrong.append("<%s>" % tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append("</%s> within %s" % (tag, self.open[-3:]))
        else:
            self.open.pop()


def main():
    page = Page()
    with open(sys.argv[1], encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    wrong = page.wrong + ["<%s> is not closed" % tag for tag in page.open]
    wrong += ["no place " + link for link in page.links
              if link[1:] not in page.ids or link[0] != "#"]
    for sentence in wrong:
        print(sentence)
    places = {kind: sum(bool(re.fullmatch(kind + "[0-9]+", id))
                        for id in page.ids) for kind in "fd"}
    print("%d functions, %d dispatches" % (places["f"], places["d"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
