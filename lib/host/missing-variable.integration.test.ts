import { afterEach, expect, it } from 'vitest';
import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

it('names the missing variable of an extension, and where to set it', async () => {
  living = await startHost({
    'tools/py.py': 'import os\nKEY = os.environ["MY_KEY"]\n\ndef run() -> str:\n    """Say."""\n    return KEY\n',
    'ts/extension.ts': `const key = process.env.MY_TOKEN.trim();\n${oneTool('ts_tool', 'x')}`,
    'own/extension.ts': `throw new Error('OTHER_KEY must be set');\n${oneTool('own_tool', 'x')}`,
    'key/extension.ts': `throw new Error('no such city');\n${oneTool('key_tool', 'x')}`,
  });
  const hintOf = (id: string): string | undefined => living?.extension(id)?.failure?.hint;
  expect(hintOf('tools/py')).toMatch(/`MY_KEY`.*`\.env` beside the entry file/);
  expect(hintOf('ts')).toMatch(/`MY_TOKEN`/);
  expect(hintOf('own')).toMatch(/`OTHER_KEY`/);
  expect(hintOf('key')).toBe(FAILURE_CODES.import_error.hint);
});

it('repeats the last output line of an MCP server that exits at its start, and names `env`', async () => {
  const script = 'console.error("Error: API_KEY environment variable is required"); process.exit(1)';
  living = await startHost({ 'dies/mcp.json': JSON.stringify({ command: 'node', args: ['-e', script] }) });
  expect(living.extension('dies')?.failure).toMatchObject({
    code: 'mcp_error',
    message: expect.stringContaining(
      'exit code 1 before it had answered. Its last output: Error: API_KEY environment variable is required',
    ),
    hint: expect.stringMatching(/`API_KEY`.*"env": \{ "API_KEY": "…" \}/),
  });
});

it('suggests how to split a command line in `command`', async () => {
  living = await startHost({ 'line/mcp.json': JSON.stringify({ command: `node "a server.mjs" --port`, args: ['1'] }) });
  expect(living.extension('line')?.failure).toMatchObject({
    code: 'runtime_missing',
    hint: '`command` is only the program. Write "command": "node", "args": ["a server.mjs", "--port", "1"], then reload or test again.',
  });
});
