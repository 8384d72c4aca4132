import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type OpenChannel, openChannel } from './open-channel.ts';

/** The channels of docs/writing-extensions.md, each with a fake of its service. */
const samples = path.join(path.dirname(path.dirname(import.meta.dirname)), 'docs/samples/channels');
const PATIENCE = { timeout: 10_000 };
let workspace = '';
let open: OpenChannel | null = null;
const closing: (() => void)[] = [];

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), 'samples-')));
});
afterEach(async () => {
  await open?.close();
  open = null;
  for (const close of closing.splice(0)) close();
  await rm(workspace, { recursive: true });
});

async function start(name: string, environment: Readonly<Record<string, string>>): Promise<OpenChannel> {
  open = await openChannel(path.join(samples, name), workspace, environment);
  expect(open.extension.description).toMatchObject({ description: expect.stringMatching(/\.$/), warnings: [] });
  return open;
}

it.each(['line.ts', 'chat.py'])('%s receives and sends lines, and reports a closed connection', async (name) => {
  let guest: Socket | null = null;
  let heard = '';
  const server = createServer((socket) => {
    guest = socket;
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    socket.write('ada: hello: you\nbob: hi\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { channel, receive, send, extension } = await start(name, { CHAT_PORT: String(port) });
  expect(extension.description.channel).toEqual({ send: 'message' });
  expect(await channel.connect()).toMatchObject({ ok: true });
  expect(await receive()).toMatchObject({ text: 'hello: you', sender: 'ada' });
  expect(await receive()).toMatchObject({ text: 'hi', sender: 'bob', channel: name.replace(/\.\w+$/, '') });
  const waiting = channel.recv();
  await send('good day', 'ada');
  await vi.waitFor(() => expect(heard).toBe('@ada good day\n'), PATIENCE);
  (guest as Socket | null)?.end();
  expect(await waiting).toEqual({ ok: false, reason: 'threw', message: 'The chat server has closed the connection.' });
  expect(await channel.connect()).toMatchObject({ ok: true });
  expect(await receive()).toMatchObject({ sender: 'ada' });
  (guest as Socket | null)?.destroy();
});

it('support.ts answers the inbound question', async () => {
  const answers: string[] = [];
  const server = createHttpServer((request, response) => {
    if (request.method === 'GET') {
      response.end(JSON.stringify(request.url === '/questions?after=0' ? [{ id: 7, customer: 'ada', text: 'Where is my parcel?' }] : []));
      return;
    }
    void readText(request).then((body) => {
      answers.push(`${request.url} ${body}`);
      response.writeHead(body === 'no' ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { channel, receive, send, extension } = await start('support.ts', { SUPPORT_URL: `http://127.0.0.1:${port}` });
  expect(extension.description.channel).toEqual({ send: 'answer' });
  await channel.connect();
  const question = await receive();
  expect(question).toMatchObject({ text: 'Where is my parcel?', sender: 'ada', metadata: { question: 7 } });
  await send('On its way.', 'ada', question);
  expect(answers).toEqual(['/questions/7 On its way.']);
  await expect(send('no', 'ada', question)).rejects.toThrow('did not take the answer: 500');
});

it('questions.py answers the inbound question', async () => {
  const file = path.join(workspace, 'questions.db');
  const { channel, receive, send, extension } = await start('questions.py', { QUESTIONS_DB: file });
  expect(extension.description.channel).toEqual({ send: 'answer' });
  expect(await channel.connect()).toMatchObject({ ok: true });
  const database = new DatabaseSync(file);
  closing.push(() => database.close());
  database.exec("INSERT INTO questions (person, text) VALUES ('ada', 'When?'), ('bob', 'Why?')");
  const question = await receive();
  expect(question).toEqual({ text: 'When?', sender: 'ada', channel: 'questions', metadata: { id: 1 } });
  expect(await receive()).toMatchObject({ text: 'Why?' });
  await send('Tomorrow', 'ada', question);
  expect(database.prepare('SELECT answer FROM questions ORDER BY id').all()).toMatchObject([{ answer: 'Tomorrow' }, { answer: null }]);
});
