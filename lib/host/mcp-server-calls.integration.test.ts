import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Call } from '#lib/contract/call.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

const STDIO_SERVER = path.resolve(import.meta.dirname, '../runtime/fixtures/stdio-server.mjs');
const ENTRY = { command: 'node', args: ['server.mjs'] };
const textShape = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

type StartChange = NonNullable<Parameters<typeof startHost>[1]>;

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

/** A server for each test, as code that uses `serve`, `send`, `tool` and `text`. */
async function startServer(code: string, entry = {}, { env = '', ...change }: { env?: string } & StartChange = {}): Promise<LivingHost> {
  living = await startHost(
    {
      'x/.env': env,
      'x/mcp.json': JSON.stringify({ ...ENTRY, ...entry }),
      'x/server.mjs': `import { send, serve, text, tool } from ${JSON.stringify(STDIO_SERVER)};\n${code}`,
    },
    change,
  );
  return living;
}

function received({ result }: Pick<Call, 'result'>): unknown {
  return JSON.parse(textShape.parse(result).content[0].text);
}

describe('arguments for a tool of an MCP server', () => {
  it('are sent unchanged: an absent one stays absent, whatever its default', async () => {
    const orNull = `(type) => ({ anyOf: [{ type }, { type: 'null' }], default: null })`;
    const { call } = await startServer(`
      const orNull = ${orNull};
      const update = tool('update_task', { id: { type: 'integer' }, title: orNull('string'), due: orNull('string'), owner: orNull('string') });
      serve({ list: () => [update], call: ({ arguments: given }) => text(given) });
    `);
    const cleared = await call('x__update_task', { id: 7, title: 'New', due: null });
    expect(received(cleared)).toEqual({ id: 7, title: 'New', due: null });
    expect(cleared.arguments).toEqual({ id: 7, title: 'New', due: null });
    expect(received(await call('x__update_task', {}))).toEqual({});
  });

  it('may leave out what the schema requires and has a default for, since many servers list it so', async () => {
    const { call } = await startServer(`
      const page = { type: 'integer', default: 1 };
      const list = tool('list', { query: { type: 'string' }, page }, { required: ['query', 'page'] });
      serve({ list: () => [list], call: ({ arguments: given }) => text(given) });
    `);
    expect(received(await call('x__list', { query: 'q' }))).toEqual({ query: 'q' });
    expect((await call('x__list', { page: 2 })).error).toMatchObject({
      kind: 'invalid_parameters',
      issues: [expect.objectContaining({ path: '/query' })],
    });
  });

  it('that exclude each other are not refused because both have a default', async () => {
    const { call } = await startServer(`
      const string = { type: 'string', default: '' };
      const get = tool('get', { url: string, path: string }, { oneOf: [{ required: ['url'] }, { required: ['path'] }] });
      serve({ list: () => [get], call: ({ arguments: given }) => text(given) });
    `);
    expect(received(await call('x__get', { url: 'u' }))).toEqual({ url: 'u' });
    expect((await call('x__get', { url: 'u', path: 'p' })).error).toMatchObject({ kind: 'invalid_parameters' });
  });
});

describe('placeholders in the entry of an MCP server', () => {
  it('are read as other clients write them, and unknown ones are passed on with a warning', async () => {
    const { call, extension } = await startServer(
      `serve({ list: () => [tool('env')], call: () => text({ key: process.env.KEY, level: process.env.LEVEL, left: process.env.LEFT }) });`,
      { env: { KEY: '${env:SOME_KEY}', LEVEL: '${A_LEVEL:-${OTHER_LEVEL:-info}}', LEFT: '${vault:NAME}' } },
      { env: 'SOME_KEY=from .env\n' },
    );
    expect(received(await call('x__env'))).toEqual({ key: 'from .env', level: 'info', left: '${vault:NAME}' });
    expect(extension('x')?.warnings).toEqual([
      expect.stringMatching(/`\$\{vault:NAME\}` in `env\.LEFT` of mcp\.json .*passed on unchanged/),
    ]);
  });
});

describe('the time limit of a call to an MCP server', () => {
  const WORKS = `
    serve({
      list: () => [tool('work', { steps: { type: 'integer' } }), tool('silent')],
      async call({ name, arguments: given, _meta }) {
        if (name === 'silent') return new Promise(() => undefined);
        for (let step = 1; step <= given.steps; step += 1) {
          await new Promise((go) => setTimeout(go, 300));
          send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: step } });
        }
        return text('worked');
      },
    });
  `;

  it('is that of its entry in mcp.json, and extended by progress', async () => {
    const { call, host } = await startServer(WORKS, { timeout: 1.5 }, { callTimeoutMs: 700 });
    expect(must(host.tools.get('x__work')).timeout_ms).toBe(1_500);
    expect((await call('x__work', { steps: 8 })).status).toBe('succeeded');
    expect(await call('x__silent')).toMatchObject({
      status: 'timed_out',
      error: { message: expect.stringMatching(/did not answer within 1,500 ms\. .*`timeout` \(seconds\) of its server in mcp\.json/) },
    });
  });

  it('is not extended when the caller set it', async () => {
    const { call } = await startServer(WORKS);
    expect(await call('x__work', { steps: 100 }, { timeoutMs: 1_200 })).toMatchObject({
      status: 'timed_out',
      progress: { done: expect.any(Number) },
      error: { message: expect.stringContaining('within 1,200 ms') },
    });
  });
});
