import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenChannel, openChannel } from './open-channel.ts';

const folder = path.join(path.dirname(path.dirname(import.meta.dirname)), 'extensions/channels');
let workspace = '';
let open: OpenChannel | null = null;

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), 'workspace-')));
});
afterEach(async () => {
  await open?.close();
  open = null;
  await rm(workspace, { recursive: true });
});

async function start(name: string): Promise<OpenChannel> {
  open = await openChannel(path.join(folder, name), workspace);
  expect(await open.channel.connect()).toEqual({ ok: true, value: undefined });
  return open;
}

it.each(['inbox.ts', 'reminders.py'])('%s is described, and neither writes nor says anything until it is used', async (name) => {
  const { extension, channel } = await start(name);
  expect(extension.description).toMatchObject({
    description: expect.stringMatching(/^\S.{40,}/s),
    instructions: expect.stringMatching(/.+/),
    hasStatus: true,
    channel: { send: 'message' },
    warnings: [],
  });
  void channel.recv();
  expect(await extension.status()).toMatchObject({ value: { waiting: 0 }, error: null });
  expect(await readdir(workspace)).toEqual([]);
  expect(extension.logs().lines).toEqual([]);
});

it('inbox reads text files in order, each once, and ignores links and other files', async () => {
  const { receive, channel, extension } = await start('inbox.ts');
  const inbox = path.join(workspace, 'inbox');
  await mkdir(inbox);
  await writeFile(path.join(inbox, 'b.txt'), 'second\n');
  await writeFile(path.join(inbox, 'a.md'), 'first, in\ntwo lines\n');
  await writeFile(path.join(inbox, 'c.bin'), 'no text');
  await writeFile(path.join(inbox, '.hidden.txt'), 'hidden');
  await writeFile(path.join(inbox, 'long.txt'), 'é'.repeat(100_000));
  await symlink('/etc/hostname', path.join(inbox, 'link.txt'));
  expect(await receive()).toEqual({
    text: 'first, in\ntwo lines',
    sender: 'a',
    channel: 'inbox',
    metadata: { file: 'inbox/a.md' },
    idempotency_key: expect.stringMatching(/^a\.md \d+ 20 /),
  });
  expect(await receive()).toMatchObject({ text: 'second', sender: 'b' });
  expect((await receive()).text).toBe('é'.repeat(65_536));
  const waiting = channel.recv();
  await writeFile(path.join(inbox, 'b.txt'), 'again');
  expect(await waiting).toMatchObject({ ok: true, value: { text: 'again', sender: 'b' } });
  expect((await readdir(inbox)).sort()).toEqual(['.hidden.txt', 'b.txt', 'c.bin', 'link.txt', 'taken']);
  expect((await readdir(path.join(inbox, 'taken'))).sort()).toEqual([
    expect.stringMatching(/^a .+\.md$/),
    expect.stringMatching(/^b .+\.txt$/),
    expect.stringMatching(/^long .+\.txt$/),
  ]);
  expect(await extension.status()).toMatchObject({ value: { exists: true, received: 4 } });
});

it('a received file stays until the next one is requested, so that it is not lost', async () => {
  const { receive } = await start('inbox.ts');
  await mkdir(path.join(workspace, 'inbox'));
  await writeFile(path.join(workspace, 'inbox/note.txt'), 'keep me');
  await receive();
  expect(existsSync(path.join(workspace, 'inbox/note.txt'))).toBe(true);
});

it('inbox writes sent messages into the outbox and overwrites nothing', async () => {
  const { send } = await start('inbox.ts');
  for (const [text, recipient] of [
    ['one', 'a'],
    ['two', 'a'],
    ['three', '../../etc/passwd'],
    ['four', '...'],
  ] as const)
    await send(text, recipient);
  const outbox = path.join(workspace, 'outbox');
  expect((await readdir(outbox)).sort()).toEqual(['_.._etc_passwd.txt', 'a-2.txt', 'a.txt', 'message.txt']);
  expect(await readFile(path.join(outbox, 'a-2.txt'), 'utf8')).toBe('two\n');
});

it('reminders are sent at their time, the earliest first', async () => {
  const { send, receive, extension } = await start('reminders.py');
  await send('in 2 hours leave', 'ada');
  await send('In 1 second tea, and\nbiscuits', 'ada');
  await send('in 0 seconds /list_notes', 'bob');
  expect(await receive()).toMatchObject({ text: '/list_notes', sender: 'bob', channel: 'reminders' });
  expect(await receive()).toMatchObject({ text: 'tea, and\nbiscuits', sender: 'ada' });
  expect(await extension.status()).toMatchObject({ value: { waiting: 2, next: expect.any(String) } });
});

it('reminders survive a restart, and are removed when the next message is requested', async () => {
  const first = await start('reminders.py');
  await first.send('in 0s stretch', 'ada');
  await first.send('on 2999-01-31 at 09:00 renew', 'ada');
  expect(await first.receive()).toMatchObject({ text: 'stretch' });
  await first.close();
  const { receive, send, extension } = await start('reminders.py');
  expect(await receive()).toMatchObject({ text: 'stretch', sender: 'ada' });
  await send('in 0s again', 'ada');
  expect(await receive()).toMatchObject({ text: 'again' });
  expect(await extension.status()).toMatchObject({ value: { waiting: 2, next: expect.any(String) } });
  expect(JSON.parse(await readFile(path.join(workspace, 'reminders.json'), 'utf8'))).toEqual([
    expect.objectContaining({ text: 'again', person: 'ada' }),
    expect.objectContaining({ text: 'renew', at: expect.stringMatching(/^2999-01-31T09:00:00/) }),
  ]);
});

it.each(['tea', 'in a while tea', 'at 25:00 tea', 'on 2027-02-30 09:00 tea', 'in 5 minutes'])(
  'reminders reply with their syntax to: %s',
  async (text) => {
    const { send, receive } = await start('reminders.py');
    await send(text, 'ada');
    expect(await receive()).toMatchObject({ text: expect.stringContaining('"at <HH:MM> <text>"'), sender: 'reminders' });
    expect(existsSync(path.join(workspace, 'reminders.json'))).toBe(false);
  },
);

it('a reply to a reminder creates no reminder', async () => {
  const { channel, extension, receive, send } = await start('reminders.py');
  await send('in 0s tea', 'ada');
  const reminder = await receive();
  const answer = { ...reminder, text: 'in 5 minutes more', metadata: { ...reminder.metadata, recipient: 'ada' } };
  expect(await channel.send(answer, null)).toMatchObject({ ok: true });
  expect(await extension.status()).toMatchObject({ value: { waiting: 1 } });
});

it('reminders report an error in their file', async () => {
  await writeFile(path.join(workspace, 'reminders.json'), '[{');
  open = await openChannel(path.join(folder, 'reminders.py'), workspace);
  expect(await open.channel.connect()).toMatchObject({ ok: false, message: expect.stringContaining('Fix or delete it') });
});
