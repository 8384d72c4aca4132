import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';
import { saveCallRequest } from '#lib/testing/api-records.ts';
import { serveHost } from '#lib/testing/serve-host.ts';

/** A 64-bit integer; as a double it would be ...800. */
const ID = '1234567890123456789';
const WIDE = '340282366920938463463374607431768211455';
const ASK = { source: 'api', actor: { name: null } } as const;

const TYPED = `import sys

def run(id: int, ids: set[int] = frozenset(), limit: int = 9223372036854775807, count: int = 0, size: float = 0):
    """Says what it was given."""
    print("given", id)
    return {"id": id, "said": repr(id), "next": id + 1, "ids": sorted(ids), "limit": repr(limit), "count": repr(count), "size": repr(size)}
`;
const UNTYPED = `TOOL = {
    "label": "Test",
    "name": "untyped",
    "description": "Says what it was given.",
    "parameters": {
        "id": {"type": "integer", "required": True},
        "limit": {"type": "integer", "default": 9223372036854775807, "minimum": -(2**63), "maximum": 2**63 - 1},
        "size": {"type": "number"},
        "any": {"type": ["object", "array"]},
        "token": {"type": "integer"},
    },
    "execute": lambda id, limit, size=None, any=None, token=None: {"said": [repr(id), repr(limit), repr(size), repr(any)], "back": [id, any, token]},
}
`;
const FAILING = `from switchboard import ToolError

def run(id: int, ctx=None):
    """Fails."""
    ctx.log.info("seen", {"id": id})
    raise ToolError("No such id", kind="not_found", data={"id": id})
`;
const SCRIPT = `export const TOOL = {
  label: 'Test', name: 'script', description: 'Answers nothing.', parameters: { type: 'object' }, execute: () => null,
};`;
/** Returns the text of the arguments as received, and its own id. */
const ANSWERING = `
export const answer = (line) => {
  const { id, method, params } = JSON.parse(line);
  const schema = { type: 'object', properties: { id: { type: 'integer' } } };
  const tool = { name: 'echo', inputSchema: schema, outputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } };
  const version = { protocolVersion: params?.protocolVersion, serverInfo: { name: 's', version: '1' }, capabilities: { tools: {} } };
  if (id === undefined) return null;
  if (method === 'initialize') return JSON.stringify({ jsonrpc: '2.0', id, result: version });
  if (method === 'tools/list') return JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [tool] } });
  if (method !== 'tools/call') return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  const said = JSON.stringify(/"arguments":(\\{[^}]*\\})/.exec(line)[1]);
  return \`{"jsonrpc":"2.0","id":\${JSON.stringify(id)},"result":{"content":[{"type":"text","text":\${said}}],"structuredContent":{"id":${ID}},"_meta":{"n":${ID}}}}\`;
};
`;
const STDIO = `
import { createInterface } from 'node:readline';
import { answer } from './answer.mjs';
for await (const line of createInterface({ input: process.stdin })) {
  const said = answer(line);
  if (said !== null) process.stdout.write(said + '\\n');
}
`;

let living: LivingHost;
let served: Awaited<ReturnType<typeof serveHost>>;
let remote: Server;
beforeAll(async () => {
  const { answer } = (await import(`data:text/javascript,${encodeURIComponent(ANSWERING)}`)) as { answer: (line: string) => string | null };
  remote = createServer((request, response) => {
    void textOf(request).then((line) => {
      const said = request.method === 'POST' ? answer(line) : null;
      const isStream = line.includes('"streamed"');
      response.writeHead(request.method === 'GET' ? 405 : said === null ? 202 : 200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
      });
      response.end(said === null || !isStream ? (said ?? '') : `data: ${said}\n\n`);
    });
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  const { port } = remote.address() as AddressInfo;
  living = await startHost({
    'tools/typed.py': TYPED,
    'tools/failing.py': FAILING,
    'untyped/extension.py': UNTYPED,
    'script/extension.ts': SCRIPT,
    'stdio/answer.mjs': ANSWERING,
    'stdio/server.mjs': STDIO,
    'stdio/mcp.json': JSON.stringify({ command: 'node', args: ['server.mjs'] }),
    'http/mcp.json': JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` }),
  });
  // A server that did not answer immediately is retried.
  for (const id of ['stdio', 'http']) await vi.waitFor(() => expect(living.extension(id)?.state).toBe('ready'));
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
  remote.close();
});

async function post(tool: string, args: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${served.url}/api/v1/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: `{"arguments":${args}}`,
  });
  return answer.text();
}

async function agent(tool: string, args: string): Promise<string> {
  const answer = await fetch(`${served.url}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`,
  });
  return answer.text();
}

async function recorded(text: string): Promise<Call> {
  const { id } = JSON.parse(text) as { id: string };
  return must(await living.host.calls.get(id));
}

describe('an integer beyond the range of a double', () => {
  it('is exact in a Python tool, in its result and in the record', async () => {
    const answer = await post('typed', `{"id":${ID},"ids":[${ID},1234567890123456788]}`);
    expect(answer).toContain(`"arguments":{"id":${ID},"ids":[${ID},1234567890123456788]}`);
    expect(answer).toContain(`"id":${ID},"said":"${ID}","next":1234567890123456790,"ids":[1234567890123456788,${ID}]`);
    const call = await recorded(answer);
    expect(JSON.stringify(call.arguments)).toBe(`{"id":${ID},"ids":[${ID},1234567890123456788]}`);
    expect(JSON.stringify(call.result)).toContain(`"next":1234567890123456790`);
    const [listed] = must(await living.host.calls.list({ limit: 1, q: ID })).calls;
    expect(listed?.id).toBe(call.id);
    expect(JSON.stringify(listed)).toContain(`"id":${ID}`);
  });

  it('is exact as a default value', async () => {
    expect(await post('typed', `{"id":1}`)).toContain('"limit":"9223372036854775807"');
    expect(await post('untyped', `{"id":1}`)).toContain('"said":["1","9223372036854775807","None","None"]');
    expect(JSON.stringify(must(living.host.tools.get('untyped')).parameters)).toContain('"default":9223372036854775807');
  });

  it('is passed within lists and objects, and refused when the tool accepts no number', async () => {
    expect(await post('untyped', `{"id":-${ID},"any":{"a":[{"b":${WIDE}}]}}`)).toContain(`"back":[-${ID},{"a":[{"b":${WIDE}}]},null]`);
    expect(await post('untyped', `{"id":1,"any":${ID}}`)).toContain('"kind":"invalid_parameters"');
    expect(await post('typed', `{"id":1,"ids":[${ID},${ID}]}`)).toContain('"keyword":"uniqueItems"');
  });

  it('is an int in Python in any notation, when the schema requires an integer', async () => {
    expect(await post('typed', '{"id":1e21,"count":1e23,"size":1e21}')).toContain(
      `"said":"1000000000000000000000","next":1000000000000000000001,"ids":[],"limit":"9223372036854775807","count":"100000000000000000000000","size":"1e+21"`,
    );
    expect(await post('untyped', '{"id":1.5e22,"size":1e300}')).toContain(
      '"said":["15000000000000000000000","9223372036854775807","1e+300"',
    );
    expect(await post('untyped', `{"id":1000000000000000000000}`)).toContain('"said":["1000000000000000000000"');
  });

  it('is exact in logs and errors of a Python tool', async () => {
    const answer = await post('failing', `{"id":${ID}}`);
    expect(answer).toContain(`"data":{"id":${ID}}`);
    const { error, logs } = await recorded(answer);
    expect(JSON.stringify([error?.data, logs.at(-1)?.data])).toBe(`[{"id":${ID}},{"id":${ID}}]`);
  });

  it('is refused for a TypeScript tool, whose numbers cannot represent it, with the name of the argument', async () => {
    const answer = await post('script', `{"a":{"b/c":[1,${ID}]},"d":9007199254740993}`);
    const message = 'A number beyond 9007199254740991 would not arrive exactly. Send it as text if the tool allows that.';
    const { error } = await recorded(answer);
    expect(error).toMatchObject({
      kind: 'invalid_parameters',
      issues: [
        { path: '/a/b~1c/1', message },
        { path: '/d', message },
      ],
    });
    // JavaScript formats a double so that it parses to the same value.
    expect(await post('script', `{"a":9007199254740992,"b":36893488147419103000,"c":1e300}`)).toContain('"status":"succeeded"');
  });

  it.each(['stdio__echo', 'http__echo'])('is exact to and from an MCP server: %s', async (tool) => {
    for (const args of [`{"id":${ID}}`, `{"id":${ID},"way":"streamed"}`]) {
      const answer = await post(tool, args);
      expect(answer).toContain(`"text":${JSON.stringify(args)}`);
      expect(answer).toContain(`"structuredContent":{"id":${ID}}`);
      const call = await recorded(answer);
      expect(JSON.stringify(call.arguments)).toBe(args);
      expect(JSON.stringify(call.result)).toContain(`"structuredContent":{"id":${ID}}`);
      expect(await agent(tool, args)).toContain(`"structuredContent":{"id":${ID}}`);
    }
  });

  it('is exact for agents, as text and as structured content', async () => {
    const answer = await agent('typed', `{"id":${ID}}`);
    expect(answer).toContain(`"structuredContent":{"id":${ID}`);
    expect(answer).toContain(String.raw`{\"id\":${ID},`);
    expect(await agent('script', `{"id":${ID}}`)).toContain('would not arrive exactly');
  });

  it('is the same in a replay and in a saved call', async () => {
    const first = await recorded(await post('typed', `{"id":${ID}}`));
    const replayed = must(await living.host.calls.replay(first.id, { arguments: null, ...ASK }));
    expect(await replayed.finished).toContain(`"said":"${ID}"`);
    const saved = must(
      await living.host.savedCalls.save(
        saveCallRequest({
          tool: 'typed',
          name: 'exact',
          arguments: { id: BigInt(ID) },
          expectation: { result_includes: { id: BigInt(ID), next: BigInt(ID) + 1n } },
        }),
        { name: null },
      ),
    );
    expect(JSON.stringify(must(await living.host.savedCalls.get(saved.id)).arguments)).toBe(`{"id":${ID}}`);
    const run = must(await living.host.savedCalls.start(saved.id, null, 'api', { name: null }));
    expect((await run.finished).saved_call.last_run).toMatchObject({ passed: true });
  });

  it('distinguishes two requests with one idempotency key', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await post('typed', `{"id":${ID}}`, headers);
    expect(await post('typed', `{"id":${ID}}`, headers)).toBe(first);
    expect(await post('typed', `{"id":1234567890123456788}`, headers)).toContain('idempotency_key_reused');
  });

  it('is redacted in the record when it is a secret', async () => {
    const answer = await post('untyped', `{"id":1,"token":${ID}}`);
    expect(answer).toContain(`"back":[1,null,${ID}]`);
    const call = await recorded(answer);
    expect(JSON.stringify(call)).not.toContain(ID);
    expect(call.arguments).toEqual({ id: 1, token: '[redacted]' });
    expect(call.result).toMatchObject({ back: [1, null, '[redacted]'] });
  });

  it('is refused when no number can represent it', async () => {
    expect(await post('typed', '{"id":1e400}')).toContain('The body has a number that is too large');
    expect(await post('typed', `{"id":${'9'.repeat(4_000)}}`)).toContain('The body has a number that is too large');
  });
});
