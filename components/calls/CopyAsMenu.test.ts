import '#lib/contract/exact-json.ts';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandOf, curlOf, holdsSecrets, mcpOf, pythonOf, typescriptOf } from './CopyAsMenu.tsx';

const HARD = `it's "quoted" $(touch /tmp/x) \`id\` \\n\n%s !x é\u2028 '; rm -rf /; '`;
const call = { tool: 'get_weather', arguments: { city: HARD, days: 2 }, secrets: [], origin: 'http://127.0.0.1:3000' };

/** Python parses the code and reports the request. */
const SENT_BY_PYTHON = `
import ast, json, sys
calls = {ast.unparse(node.func): node for node in ast.walk(ast.parse(sys.stdin.read())) if isinstance(node, ast.Call)}
address = calls["urllib.request.Request"].args[0]
print(json.dumps([ast.literal_eval(address), ast.literal_eval(calls["json.dumps"].args[0])]))
`;
const TIMEOUT_MS = 30_000;

/** The arguments that a shell parses from a line. */
function wordsOf(line: string): string[] {
  const text = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return text.split('\0').slice(0, -1);
}

describe('a copied call', () => {
  it('is the same call as a curl command with any values', () => {
    const words = wordsOf(curlOf(call));
    expect(words.slice(0, 3)).toEqual(['curl', '-sS', 'http://127.0.0.1:3000/api/v1/tools/get_weather/call']);
    expect(words.slice(3, 5)).toEqual(['-H', 'content-type: application/json']);
    expect(JSON.parse(words[6] ?? '')).toEqual({ arguments: call.arguments });
  });

  it('is the same call as a switchboard command', () => {
    const words = wordsOf(commandOf(call));
    expect(words.slice(0, 4)).toEqual(['npx', 'switchboard', 'call', 'get_weather']);
    expect(JSON.parse(words[4] ?? '')).toEqual(call.arguments);
    expect(words.slice(5)).toEqual(['--url', 'http://127.0.0.1:3000']);
  });

  it('is the same call as an MCP request', () => {
    expect(JSON.parse(mcpOf(call))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_weather', arguments: call.arguments },
    });
  });

  it.each([{ city: HARD }, JSON.parse('{"__proto__": {"polluted": true}, "a": 1}')])('is the same call in TypeScript: %j', async (args) => {
    const sent: unknown[] = [];
    const fetched = (address: string, init: { body: string }) => {
      sent.push(address, JSON.parse(init.body));
      return Promise.resolve({ ok: true, json: () => Promise.resolve({ error: null, result: 1 }) });
    };
    const code = typescriptOf({ ...call, arguments: args }).replace('console.log', 'void ');
    // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- runs the generated code
    const run: unknown = new Function('fetch', `return (async () => { ${code} })()`);
    if (typeof run === 'function') await run(fetched);
    expect(sent).toEqual(['http://127.0.0.1:3000/api/v1/tools/get_weather/call', { arguments: args }]);
  });

  it(
    'is the same call in Python',
    () => {
      const args = { city: HARD, none: null, flags: [true, false, []], deep: { size: -1.5e-7, empty: {}, 'a "b"': ['😀'] } };
      const code = pythonOf({ ...call, arguments: args });
      const sent = execFileSync('python3', ['-I', '-S', '-c', SENT_BY_PYTHON], { encoding: 'utf8', input: code });
      expect(JSON.parse(sent)).toEqual(['http://127.0.0.1:3000/api/v1/tools/get_weather/call', { arguments: args }]);
    },
    TIMEOUT_MS,
  );

  it('includes the timeout, and a placeholder for a token if the server requires one', () => {
    const timed = { ...call, timeoutMs: 1_500, needsToken: true };
    const words = wordsOf(curlOf(timed));
    expect(words[6]).toBe('authorization: Bearer <token>');
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ arguments: call.arguments, timeout_ms: 1_500 });
    expect(typescriptOf(timed)).toContain("'content-type': 'application/json', authorization: 'Bearer <token>' },");
    expect(typescriptOf(timed)).toContain(', timeout_ms: 1500 }),');
    expect(pythonOf(timed)).toContain('"timeout_ms": 1500}).encode(),');
    expect(pythonOf(timed)).toContain('"authorization": "Bearer <token>"},');
    expect(commandOf(timed)).toMatch(/^SWITCHBOARD_TOKEN='<token>' npx switchboard call .* --timeout 2$/s);
  });

  it('passes arguments that are too long for a shell on stdin', () => {
    const args = { city: `${HARD}${'é'.repeat(70_000)}\nJSON\n` };
    for (const [write, expected] of [
      [curlOf, { arguments: args }],
      [commandOf, args],
    ] as const) {
      const line = write({ ...call, arguments: args });
      // `cat` instead of the program shows its input.
      const shown = execFileSync('sh', { encoding: 'utf8', input: line.replace(/^(curl|npx) .*?(?= <<)/s, 'cat') });
      expect(JSON.parse(shown)).toEqual(expected);
    }
    expect(curlOf({ ...call, arguments: args })).toContain("--data-binary @- <<'JSON'\n");
    expect(commandOf({ ...call, arguments: args })).toMatch(/^npx switchboard call get_weather - --url [^\n]+ <<'JSON'\n/);
  });

  it('contains no secrets', () => {
    const secret = { user: 'ada', api_key: 'k1', login: { Password: 'k2', pin: 'k3' }, list: [{ note: 'k4' }] };
    const copied = { ...call, arguments: secret, secrets: ['/login/pin', '/list/0/note'] };
    for (const write of [curlOf, mcpOf, typescriptOf, pythonOf, commandOf]) {
      const text = write(copied);
      expect(text).not.toMatch(/k[1234]/);
      expect(text).toContain('<api_key>');
      expect(text).toContain('<pin>');
    }
  });

  it('detects arguments with secrets', () => {
    expect(holdsSecrets({ arguments: { city: 'Oslo', password: null }, secrets: [] })).toBe(false);
    expect(holdsSecrets({ arguments: { city: 'Oslo', password: 'x' }, secrets: [] })).toBe(true);
    expect(holdsSecrets({ arguments: { city: 'Oslo' }, secrets: ['/city'] })).toBe(true);
  });

  it('includes arguments whose names only look like secrets', () => {
    const args = { show_password: true, tokens: 5, next_page_token: 'n', password: null, list: ['k1', 'x'] };
    expect(JSON.parse(mcpOf({ ...call, arguments: args, secrets: ['/list/0'] })).params.arguments).toEqual({ ...args, list: ['<0>', 'x'] });
  });
});

it('keeps the digits of an integer that JavaScript would round', () => {
  const id = '1234567890123456789';
  const exact = { ...call, arguments: { id: BigInt(id) } };
  const body = `{"arguments":{"id":${id}}}`;
  expect(typescriptOf(exact)).toContain(`body: ${JSON.stringify(body)},`);
  expect(curlOf(exact)).toContain(body);
  expect(commandOf(exact)).toContain(`{"id":${id}}`);
  expect(mcpOf(exact)).toContain(`"id": ${id}`);
  expect(pythonOf(exact)).toContain(`"id": ${id},`);
});
