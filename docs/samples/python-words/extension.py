import re

from switchboard import ToolError

from .counting import most_used

DESCRIPTION = "Words of a text."


def list_words(text, most, ctx):
    words = re.findall(r"\w+", text.lower())
    if not words:
        raise ToolError("There are no words in the text.", kind="invalid_parameters")
    ctx.log.info("counted", {"words": len(words)})
    return most_used(words, 3 if most is None else most)


TOOL = {
    "label": "text",
    "name": "list_words",
    "description": "List the words that a text uses most, with how often each is used.",
    "parameters": {
        "text": {"type": "string", "required": True, "description": "The text to look through."},
        "most": {"type": "integer", "minimum": 1, "description": "How many words to list; 3 when left out."},
    },
    "execute": list_words,
    "examples": [{"text": "the more the merrier", "most": 1}],
}
