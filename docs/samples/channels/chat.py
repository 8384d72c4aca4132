"""People on a chat server that speaks plain lines: `name: text`."""

import os
import socket

connection = None
lines = None


def connect():
    global connection, lines
    if connection is not None:
        connection.close()
    connection = socket.create_connection((os.environ.get("CHAT_HOST", "127.0.0.1"), int(os.environ["CHAT_PORT"])))
    lines = connection.makefile(encoding="utf-8", newline="\n")


def recv():
    line = lines.readline()
    if not line:
        raise ConnectionError("The chat server has closed the connection.")
    sender, _, text = line.rstrip().partition(": ")
    return {"text": text, "sender": sender, "channel": "chat"}


def send(message):
    recipient = message.metadata.get("recipient", "all")
    connection.sendall(f"@{recipient} {message.text}\n".encode())
