import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

const PACKAGES = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
const program = (name: string): string => path.join(PACKAGES, `server-${name}`, 'dist/index.js');

/** The three servers of the registry, as configured for MCP clients. */
const list = {
  mcpServers: {
    everything: { command: 'node', args: [program('everything')] },
    fs: { command: 'node', args: [program('filesystem'), '${WORKSPACE_ROOT}'] },
    off: { command: 'does-not-matter', disabled: true },
  },
};

describe('MCP servers of the registry', () => {
  let living: LivingHost;
  beforeAll(async () => {
    living = await startHost({
      'mcp.json': JSON.stringify(list),
      'memory/mcp.json': JSON.stringify({
        command: 'node',
        args: [program('memory')],
        env: { MEMORY_FILE_PATH: '${WORKSPACE_ROOT}/${FILE:-memory}.jsonl' },
        prefix: '',
      }),
    });
  });
  afterAll(() => living.remove());

  it('are one extension each, with the information from the server', async () => {
    const { extensions } = living.host.extensions.list();
    expect(extensions.map(({ id, kind, runtime, state }) => ({ id, kind, runtime, state }))).toEqual(
      ['everything', 'fs', 'memory', 'off'].map((id) => ({ id, kind: 'mcp', runtime: 'mcp', state: id === 'off' ? 'disabled' : 'ready' })),
    );
    expect(living.extension('off')).toMatchObject({ disabled_by: 'file', path: 'mcp.json', tools: [], failure: null });
    expect(living.extension('everything')).toMatchObject({ path: 'mcp.json', instructions: expect.stringContaining('Everything') });
    expect(living.extension('memory')?.description).toContain('memory-server');
    expect(must(await living.host.extensions.get('everything'))).toMatchObject({
      status: { connected_by: 'standard streams', protocol: '2025-11-25' },
      logs: expect.arrayContaining([expect.objectContaining({ stream: 'stderr' })]),
    });
  });

  it('name their tools with a prefix, and preserve schemas and hints', async () => {
    const tool = must(living.host.tools.get('everything__get-structured-content'));
    expect(tool).toMatchObject({
      extension: 'everything',
      label: expect.stringMatching(/.+/),
      annotations: { readOnlyHint: true },
      available: true,
    });
    expect(tool.parameters).toMatchObject({ type: 'object', required: ['location'] });
    expect(tool.output_schema).toMatchObject({ type: 'object' });
    expect(must(living.host.tools.get('read_graph')).extension).toBe('memory');
  });

  it('answer calls; the result is recorded as returned by the server', async () => {
    const structured = await living.call('everything__get-structured-content', { location: 'Chicago' });
    expect(structured).toMatchObject({
      status: 'succeeded',
      result: { structuredContent: { conditions: expect.any(String) }, content: [{ type: 'text' }] },
    });
    const image = await living.call('everything__get-tiny-image');
    expect(image.result).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'image', mimeType: 'image/png' })]),
    });
    const links = await living.call('everything__get-resource-links', { count: 2 });
    expect(links.result).toMatchObject({ content: expect.arrayContaining([expect.objectContaining({ type: 'resource_link' })]) });
    const written = await living.call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] });
    expect(written.status).toBe('succeeded');
    expect((await living.call('read_graph')).result).toMatchObject({ structuredContent: { entities: [{ name: 'Ada' }] } });
    const read = await living.call('fs__read_text_file', { path: path.join(living.folder, 'workspace/memory.jsonl') });
    expect(read.result).toMatchObject({ structuredContent: { content: expect.stringContaining('Ada') } });
  });

  it('get only valid arguments, and their errors are failed calls', async () => {
    expect(await living.call('everything__get-sum', { a: 'one' })).toMatchObject({
      status: 'failed',
      error: { kind: 'invalid_parameters', issues: expect.arrayContaining([expect.objectContaining({ path: '/b', keyword: 'required' })]) },
    });
    expect(await living.call('fs__read_text_file', { path: '/etc/passwd' })).toMatchObject({
      status: 'failed',
      error: { kind: 'execution_error', message: expect.stringContaining('outside allowed'), data: { isError: true } },
    });
  });

  it('report progress, and are notified of a cancelled call', async () => {
    const slow = await living.call('everything__trigger-long-running-operation', { duration: 0.4, steps: 4 });
    expect(slow).toMatchObject({ status: 'succeeded', progress: { total: 4 } });
    // The MCP client drops progress that arrives together with the answer, so the last step may be missing.
    expect(slow.progress?.done).toBeGreaterThanOrEqual(3);
    const late = await living.call('everything__trigger-long-running-operation', { duration: 60, steps: 2 }, { timeoutMs: 300 });
    expect(late.status).toBe('timed_out');
    expect(await living.call('everything__echo', { message: 'still here' })).toMatchObject({ status: 'succeeded' });
  });

  it('start at their first use after a restart of the host', async () => {
    living = await living.restart();
    expect(living.extension('fs')).toMatchObject({ state: 'ready', process: { state: 'none' } });
    expect(living.host.tools.list().tools.filter(({ extension }) => extension === 'fs').length).toBeGreaterThan(5);
    expect(await living.call('fs__list_allowed_directories')).toMatchObject({ status: 'succeeded' });
    expect(living.extension('fs')?.process.state).toBe('running');
    expect(living.extension('everything')?.process.state).toBe('none');
  });
});
