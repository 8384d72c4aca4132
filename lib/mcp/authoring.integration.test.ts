import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { HostConfig } from '#lib/host/config.ts';
import { must } from '#lib/testing/living-host.ts';
import { OFFICIAL_CLIENTS } from './clients-for-tests.ts';
import { messageOf, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { AUTHORING_TOOLS } from './authoring.ts';

const TOKEN = 'the-admin-token';
const BROKEN = `export const TOOL = {
  label: 'text', name: 'shout', description: 'Says a text loudly.',
  parameters: { text: { type: 'string', required: true } },
  execute({ text }) { return text.toUpperCase() +* '!'; },
};
`;
const MENDED = BROKEN.replace('+*', '+');

const served: ServedEndpoint[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()));
});
async function serve(change: Partial<HostConfig> = {}, files: Record<string, string> = {}): Promise<ServedEndpoint> {
  const endpoint = await serveEndpoint(files, { mcpAuthoring: true, ...change });
  served.push(endpoint);
  return endpoint;
}

const extension = z.object({
  id: z.string(),
  state: z.string(),
  tools: z.array(z.string()),
  failure: z.object({ code: z.string(), line: z.number().nullable(), code_frame: z.string().nullable(), hint: z.string() }).nullable(),
});
const undone = z.object({ structuredContent: z.object({ written: z.array(z.string()), extensions: z.array(extension) }) });
const written = z.object({ structuredContent: z.object({ hash: z.string(), extensions: z.array(extension) }) });

describe('agents that write extensions', () => {
  it.each(OFFICIAL_CLIENTS.map((client) => [client.title, client] as const))(
    '%s writes one, sees why it fails, fixes it and uses it',
    async (_, official) => {
      const { url, living } = await serve();
      const agent = await official.connect(url);
      expect(agent.instructions()).toContain('switchboard_write_file loads what it writes at once');

      const first = written.parse(
        await agent.callTool('switchboard_write_file', { path: 'loud/extension.js', text: BROKEN, expected_hash: null }),
      ).structuredContent;
      expect(first.extensions).toMatchObject([{ id: 'loud', state: 'failed', failure: { code: 'syntax_error', line: 4 } }]);
      expect(first.extensions[0]?.failure?.code_frame).toMatch(/> 4 \|/);
      expect(await agent.callTool('switchboard_read_failures', { extension: 'loud' })).toMatchObject({
        structuredContent: { failures: [{ extension: 'loud', code: 'syntax_error' }] },
      });

      const read = await agent.callTool('switchboard_read_file', { path: 'loud/extension.js' });
      expect(read).toMatchObject({ structuredContent: { hash: first.hash, text: BROKEN, next_offset: null } });
      const change = { path: 'loud/extension.js', text: MENDED, expected_hash: first.hash };
      const second = written.parse(await agent.callTool('switchboard_write_file', change)).structuredContent;
      expect(second.extensions).toEqual([{ id: 'loud', state: 'ready', tools: ['shout'], failure: null }]);

      expect((await agent.listTools()).tools.map(({ name }) => name)).toContain('shout');
      expect(await agent.callTool('shout', { text: 'so' })).toMatchObject({ content: [{ type: 'text', text: 'SO!' }] });

      // Somebody else was quicker.
      expect(await agent.callTool('switchboard_write_file', change)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('it was changed since it was read') }],
      });
      expect(await agent.callTool('switchboard_list_files', { folder: 'loud' })).toMatchObject({
        structuredContent: { files: [{ path: 'loud/extension.js' }], truncated: false },
      });
      expect(await agent.callTool('switchboard_reload', { extension: 'loud' })).toMatchObject({ structuredContent: { failed: [] } });
      expect(await agent.callTool('switchboard_check_extensions')).toMatchObject({
        structuredContent: { extensions: [{ id: 'loud', state: 'ready', revision: 2 }], truncated: false },
      });
      const undo = { extension: 'loud', revision: 1 };
      const plan = await agent.callTool('switchboard_undo_files', undo);
      expect(plan).toMatchObject({ structuredContent: { files: { 'loud/extension.js': { hash: second.hash, used_by: [] } }, extra: [] } });
      const files = { 'loud/extension.js': second.hash };
      expect(undone.parse(await agent.callTool('switchboard_undo_files', { ...undo, files })).structuredContent).toMatchObject({
        written: ['loud/extension.js'],
        extensions: [{ id: 'loud', state: 'degraded', failure: { code: 'syntax_error' } }],
      });
      if (official.sessions) {
        const seen = await living.host.extensions.get('loud');
        expect(seen.ok ? seen.value.revisions.map(({ trigger, actor }) => `${trigger} ${actor}`) : []).toEqual([
          'edit official client',
          'edit official client',
        ]);
      }
      await agent.callTool('switchboard_write_file', { ...change, expected_hash: first.hash });
      await agent.callTool('switchboard_remove_file', { path: 'loud/extension.js', expected_hash: second.hash });
      expect(living.extension('loud')).toBeUndefined();
      await agent.close();

      const page = await living.host.snapshots.list({ limit: 50 });
      const edits = page.ok ? page.value.snapshots.filter(({ cause }) => cause.kind === 'edit') : [];
      expect(edits.length).toBeGreaterThanOrEqual(2);
      if (official.sessions) expect(edits.map(({ cause }) => cause.actor)).toEqual(edits.map(() => 'official client'));
      expect(living.log.join('\n')).toContain('An agent works on extensions');
    },
  );

  it('ask a person to start an installation, and cannot start it themselves', async () => {
    const files = { 'loud/extension.py': 'import no_such_module\n', 'loud/requirements.txt': 'no-such-package\n' };
    const { legacy, living } = await serve({}, files);
    const call = async (name: string) => messageOf(await legacy('tools/call', { name, arguments: { extension: 'loud' } }));
    expect(await call('switchboard_check_extensions')).toMatchObject({
      result: {
        structuredContent: {
          extensions: [{ failure: { code: 'dependencies_missing', hint: expect.stringContaining('call switchboard_request_install') } }],
        },
      },
    });
    expect(await call('switchboard_request_install')).toMatchObject({
      result: {
        structuredContent: {
          state: 'missing',
          requested: true,
          requirements: ['no-such-package'],
          next: expect.stringContaining('A person has to press Install'),
        },
      },
    });
    const { install, requested } = must(await living.host.extensions.dependencies('loud'));
    expect(install).toBeNull();
    expect(requested).not.toBeNull();
  });

  it('see where a loaded tool threw', async () => {
    const text =
      "export const TOOL = { label: 'Loud', name: 'shout', description: 'Shouts.', parameters: {}, execute() {\n  return nothing.at(0);\n} };\n";
    const { legacy } = await serve({}, { 'loud/extension.js': text });
    const call = async (name: string, args: Record<string, unknown>) => messageOf(await legacy('tools/call', { name, arguments: args }));
    await call('shout', {});
    expect(await call('switchboard_check_extensions', { extension: 'loud' })).toMatchObject({
      result: {
        structuredContent: {
          extensions: [{ id: 'loud', failure: null }],
          log: [{ level: 'error', message: expect.stringMatching(/nothing is not defined[^]*loud\/extension\.js:2:\d+/) }],
        },
      },
    });
  });

  it('rejects invalid arguments and paths', async () => {
    const { legacy, living } = await serve({}, { 'a/.env': 'SECRET=1\n' });
    const call = async (name: string, args: Record<string, unknown>) => messageOf(await legacy('tools/call', { name, arguments: args }));
    const refused = (text: string) => ({ result: { isError: true, content: [{ text: expect.stringContaining(text) }] } });
    expect(await call('switchboard_read_file', { path: 1, more: true })).toMatchObject(
      refused('- "path" must be a text.\n- "more" is not a field here (accepted: path, offset).'),
    );
    expect(await call('switchboard_write_file', { path: 'b/extension.js', text: '' })).toMatchObject(
      refused('- "expected_hash" is missing; it must be a text or null.'),
    );
    expect(await call('switchboard_read_file', { path: 'a/.env' })).toMatchObject(refused('is not a valid source path'));
    expect(await call('switchboard_write_file', { path: '../x.ts', text: '', expected_hash: null })).toMatchObject(
      refused('is not a valid source path'),
    );
    expect(await call('switchboard_check_extensions', { extension: 'absent' })).toMatchObject(refused('There is no extension “absent”.'));
    for (const [tool, args] of [
      ['switchboard_reload', { extension: 'absent' }],
      ['switchboard_undo_files', { extension: 'absent', revision: 1 }],
    ] as const)
      expect(await call(tool, args)).toMatchObject(refused('switchboard_check_extensions lists all extensions.'));
    expect(living.host.extensions.list().extensions).toEqual([]);
  });

  it('name no API route in their errors', async () => {
    const { legacy } = await serve({}, { 'loud/extension.js': MENDED });
    const answer = await legacy('tools/call', { name: 'switchboard_undo_files', arguments: { extension: 'loud', revision: 99 } });
    expect(await messageOf(answer)).toMatchObject({ result: { isError: true, content: [{ text: 'loud has no revision 99.' }] } });
  });

  it('get answers of limited size', async () => {
    const { legacy } = await serve({}, { 'a/extension.js': `// ${'é'.repeat(70_000)}\n` });
    const read = z.object({ result: z.object({ structuredContent: z.object({ text: z.string(), next_offset: z.number().nullable() }) }) });
    const ask = async (offset: number) =>
      read.parse(
        await messageOf(await legacy('tools/call', { name: 'switchboard_read_file', arguments: { path: 'a/extension.js', offset } })),
      ).result.structuredContent;
    const first = await ask(0);
    expect([first.text.length, first.next_offset]).toEqual([65_536, 65_536]);
    expect(await ask(65_536)).toMatchObject({ next_offset: null });
  });

  it('need the admin token if one is set, and wrong tokens are limited', async () => {
    const { send, living } = await serve({ adminToken: TOKEN });
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'switchboard_write_file', arguments: { path: 'loud/extension.js', text: MENDED, expected_hash: null } },
    };
    const refused = { result: { isError: true, content: [{ text: expect.stringContaining('invalid admin token') }] } };
    expect(await messageOf(await send(message))).toMatchObject(refused);
    expect(living.extension('loud')).toBeUndefined();
    for (let guess = 0; guess < 10; guess += 1)
      expect(await messageOf(await send(message, { 'x-admin-token': `guess ${guess}` }))).toMatchObject(refused);
    expect(await messageOf(await send(message, { 'x-admin-token': TOKEN }))).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('Too many wrong admin tokens') }] },
    });
  });

  it('are authorized by the admin token', async () => {
    const { send, living } = await serve({ adminToken: TOKEN });
    const params = { name: 'switchboard_write_file', arguments: { path: 'loud/extension.js', text: MENDED, expected_hash: null } };
    await messageOf(await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { 'x-admin-token': TOKEN }));
    expect(living.extension('loud')).toMatchObject({ state: 'ready' });
  });

  it('are refused if extensions are read-only, and get no authoring tools without the setting', async () => {
    const args = { path: 'loud/extension.js', text: MENDED, expected_hash: null };
    const fixed = await serve({ readOnlyExtensions: true });
    expect(await messageOf(await fixed.legacy('tools/call', { name: 'switchboard_write_file', arguments: args }))).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('READ_ONLY_EXTENSIONS is set') }] },
    });
    const plain = await serve({ mcpAuthoring: false });
    for (const { name } of AUTHORING_TOOLS)
      expect(await messageOf(await plain.legacy('tools/call', { name, arguments: args }))).toMatchObject({
        error: { message: expect.stringContaining(`Unknown tool: ${name}`) },
      });
    expect(await messageOf(await plain.legacy('tools/list'))).toMatchObject({ result: { tools: [] } });
  });
});
