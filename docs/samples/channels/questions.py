"""Questions that another program writes into its database, and their answers."""

import asyncio
import os
import sqlite3

from switchboard import Message

database = None
last = 0


async def connect():
    global database
    database = sqlite3.connect(os.environ["QUESTIONS_DB"], isolation_level=None)
    database.execute("CREATE TABLE IF NOT EXISTS questions (id INTEGER PRIMARY KEY, person TEXT, text TEXT, answer TEXT)")


async def recv():
    global last
    while True:
        query = "SELECT id, person, text FROM questions WHERE id > ? AND answer IS NULL ORDER BY id"
        row = database.execute(query, (last,)).fetchone()
        if row is not None:
            last, person, text = row
            return Message(text, person, "questions", {"id": last})
        await asyncio.sleep(1)


async def send(incoming, text):
    database.execute("UPDATE questions SET answer = ? WHERE id = ?", (text, incoming.metadata["id"]))
