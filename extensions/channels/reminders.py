"""Reminds people. Send it "in 20 minutes tea", "at 17:30 leave" or "on 2027-01-31 09:00 renew", and it replies at that time.

A reminder that begins with / is a command, which runs at that time if commands are enabled for this channel. Pending reminders
are stored in reminders.json in the workspace, which is created with the first one.
"""

import json
import os
import re
import threading
import uuid
from datetime import datetime, timedelta

from switchboard import Message

INSTRUCTIONS = 'Send "in <number> <seconds|minutes|hours|days> <text>", "at <HH:MM> <text>" or "on <YYYY-MM-DD> <HH:MM> <text>".'

FILE = "reminders.json"
HELP = f"Not a reminder. {INSTRUCTIONS}"
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
#: The clock may be set, or the machine may sleep: reminders are checked at least this often.
LOOK_S = 30.0

IN = re.compile(r"in\s+(\d{1,6})\s*(s|m|h|d)[a-z]*\s+(\S.*)", re.IGNORECASE | re.DOTALL)
AT = re.compile(r"at\s+(\d{1,2}):(\d\d)\s+(\S.*)", re.IGNORECASE | re.DOTALL)
ON = re.compile(r"on\s+(\d{4}-\d\d-\d\d)\s+(?:at\s+)?(\d{1,2}:\d\d)\s+(\S.*)", re.IGNORECASE | re.DOTALL)

changed = threading.Condition()
#: {"id", "at", "text", "person"}, the earliest first; as in the file.
waiting: list = []
replies: list = []
#: Returned; removed when the next message is requested, because this one is stored then.
handed_over = None


def connect() -> None:
    """Reads the stored reminders."""
    if os.path.exists(FILE):
        try:
            with open(FILE, encoding="utf-8") as file:
                kept = json.load(file)
        except ValueError as error:
            raise ValueError(f"{FILE} in the workspace is invalid ({error}). Fix or delete it.") from error
        with changed:
            waiting[:] = kept


def recv() -> Message:
    global handed_over
    with changed:
        if handed_over is not None:
            forget(handed_over)
            handed_over = None
        while True:
            if replies:
                return replies.pop(0)
            left = datetime.fromisoformat(waiting[0]["at"]) - now() if waiting else timedelta.max
            if left <= timedelta():
                handed_over = waiting[0]
                due = {"reminder": handed_over["at"]}
                # The same message if it is read again after a crash.
                return Message(handed_over["text"], handed_over["person"], "reminders", due, handed_over.get("id"))
            changed.wait(min(LOOK_S, left.total_seconds()))


def send(message) -> None:
    if "reminder" in message.metadata:
        print(f"Answer to a reminder for {message.metadata.get('recipient')}: {message.text}")
        return
    person = message.metadata.get("recipient") or message.sender
    due, text = read_reminder(message.text.strip())
    with changed:
        if due is None:
            replies.append(Message(HELP, "reminders", "reminders", {"reminder": None}))
        else:
            waiting.append({"id": uuid.uuid4().hex, "at": due.isoformat(timespec="seconds"), "text": text, "person": person})
            waiting.sort(key=lambda one: datetime.fromisoformat(one["at"]))
            keep()
        changed.notify_all()


def status() -> dict:
    with changed:
        return {"waiting": len(waiting), "next": waiting[0]["at"] if waiting else None}


def read_reminder(text):
    """Time and text; (None, text) without a valid time."""
    try:
        if found := IN.fullmatch(text):
            return now() + timedelta(**{UNITS[found[2].lower()]: int(found[1])}), found[3]
        if found := AT.fullmatch(text):
            due = now().replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
            return (due if due > now() else due + timedelta(days=1)), found[3]
        if found := ON.fullmatch(text):
            return datetime.strptime(f"{found[1]} {found[2]}", "%Y-%m-%d %H:%M").astimezone(), found[3]
    except (ValueError, OverflowError):
        pass  # an invalid time, such as 25:00
    return None, text


def now():
    return datetime.now().astimezone()


def forget(reminder) -> None:
    if reminder in waiting:
        waiting.remove(reminder)
        keep()


def keep() -> None:
    """Write atomically."""
    draft = f"{FILE}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(waiting, file, ensure_ascii=False, indent=1)
    os.replace(draft, FILE)
