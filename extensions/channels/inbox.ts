/**
 * Text files as messages: files in the workspace folder `inbox` are inbound messages, outbound messages become files in `outbox`.
 *
 * It does nothing until there is a folder `inbox`. A file that was read is moved to `inbox/taken`.
 */
import { mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Message } from 'switchboard';

export const INSTRUCTIONS =
  'The file name is the sender: “note.txt” is a message from “note”. A message to “note” is written to outbox/note.txt.';

const IN = 'inbox';
const TAKEN = path.join(IN, 'taken');
const OUT = 'outbox';
const LOOK_MS = 1_000;
const CHARACTERS = 65_536;

/** Read and returned; moved away when the next message is requested, because this one is stored then. */
let handedOver: string | null = null;
/** Cannot be moved away, and must not be returned twice. */
const stuck = new Set<string>();
/** Size and time at the last check: a file that still changes is being written. */
let seen = new Map<string, string>();
const counts = { received: 0, written: 0 };

export function connect(): void {}

export async function recv(): Promise<Message> {
  if (handedOver !== null) await moveAway(handedOver);
  handedOver = null;
  for (;;) {
    const next = await nextFile();
    if (next === null) {
      await wait(LOOK_MS);
      continue;
    }
    const { file, mark } = next;
    const text = await readStart(path.join(IN, file));
    if (text === null) continue;
    handedOver = file;
    counts.received += 1;
    const sender = path.parse(file).name;
    // The same message if it is read again after a crash.
    return { text, sender, channel: 'inbox', metadata: { file: `${IN}/${file}` }, idempotency_key: mark };
  }
}

export async function send({ text, sender, metadata }: Message): Promise<void> {
  const recipient = typeof metadata?.['recipient'] === 'string' ? metadata['recipient'] : `from ${sender}`;
  const name =
    recipient
      .replace(/[^\p{L}\p{N} ._-]+/gu, '_')
      .replace(/^[. ]+/, '')
      .slice(0, 100) || 'message';
  await mkdir(OUT, { recursive: true });
  for (let count = 1; ; count += 1) {
    const file = path.join(OUT, count === 1 ? `${name}.txt` : `${name}-${count}.txt`);
    try {
      await writeFile(file, text.endsWith('\n') ? text : `${text}\n`, { flag: 'wx' });
      counts.written += 1;
      return;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
  }
}

export async function status() {
  const files = await textFiles();
  return { folder: path.resolve(IN), exists: files !== null, waiting: files?.length ?? 0, ...counts };
}

/** The first file without changes since the last check; null without one. */
async function nextFile(): Promise<{ readonly file: string; readonly mark: string } | null> {
  const now = new Map<string, string>();
  let found: { readonly file: string; readonly mark: string } | null = null;
  for (const file of (await textFiles()) ?? []) {
    const facts = await stat(path.join(IN, file)).catch(() => null);
    if (facts === null || !facts.isFile()) continue;
    const mark = `${file.slice(0, 100)} ${facts.ino} ${facts.size} ${facts.mtimeMs}`;
    now.set(file, mark);
    if (found === null && seen.get(file) === mark) found = { file, mark };
  }
  seen = now;
  return found;
}

/** Null without an inbox. Links are ignored: they may lead out of the workspace. */
async function textFiles(): Promise<readonly string[] | null> {
  try {
    const entries = await readdir(IN, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && /^[^.~].*\.(?:txt|md)$/i.test(entry.name)).map(({ name }) => name);
    return names.filter((name) => !stuck.has(name) && name !== handedOver).sort();
  } catch {
    return null;
  }
}

/** At most the length of a message; null if the file cannot be read, which is reported once. */
async function readStart(file: string): Promise<string | null> {
  try {
    const { size } = await stat(file);
    if (size <= CHARACTERS) return (await readFile(file, 'utf8')).trimEnd();
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(4 * CHARACTERS), length: 4 * CHARACTERS, position: 0 });
      return buffer.toString('utf8', 0, bytesRead).slice(0, CHARACTERS);
    } finally {
      await handle.close();
    }
  } catch (error) {
    console.warn(`${file} cannot be read and is passed over: ${String(error)}`);
    stuck.add(path.basename(file));
    return null;
  }
}

async function moveAway(file: string): Promise<void> {
  const { name, ext } = path.parse(file);
  try {
    await mkdir(TAKEN, { recursive: true });
    await rename(path.join(IN, file), path.join(TAKEN, `${name} ${new Date().toISOString().replaceAll(':', '-')}${ext}`));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    console.warn(`${IN}/${file} cannot be moved to ${TAKEN}, so it stays where it is: ${String(error)}`);
    stuck.add(file);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
