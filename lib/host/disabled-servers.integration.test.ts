import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, refusal, startHost } from '#lib/testing/living-host.ts';

const MEMORY = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-memory/dist/index.js');
const server = { command: 'node', args: [MEMORY], env: { MEMORY_FILE_PATH: '${WORKSPACE_ROOT}/memory.jsonl' }, prefix: '' };
const list = (isDisabled: boolean): string => JSON.stringify({ mcpServers: { notes: { ...server, disabled: isDisabled } } });
const ADA = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };

let living: LivingHost;
beforeAll(async () => {
  living = await startHost({ 'mcp.json': list(true) });
});
afterAll(() => living.remove());

it('shows a server disabled by its entry, with the required change', async () => {
  const { extensions } = living.host;
  expect(living.extension('notes')).toMatchObject({
    state: 'disabled',
    disabled_by: 'file',
    kind: 'mcp',
    path: 'mcp.json',
    description: 'Its entry in mcp.json says "disabled": true or "enabled": false, so it is not started. Remove the line to use it.',
    tools: [],
    warnings: [],
    process: { state: 'none' },
  });
  expect(refusal(await extensions.enable('notes', ADA))).toMatchObject({
    code: 'state_conflict',
    detail: expect.stringContaining('Remove the line'),
  });
  expect(await living.reload(['notes'])).toMatchObject({ failed_extensions: [], loaded_extensions: [], changed: [] });
});

it('starts it when the entry enables it, withdraws it when it is disabled again, and keeps user settings', async () => {
  await living.save({ 'mcp.json': list(false) });
  await vi.waitFor(() => expect(living.extension('notes')?.state).toBe('ready'), PATIENCE);
  expect((await living.call('read_graph')).status).toBe('succeeded');
  expect(living.extension('notes')).not.toHaveProperty('disabled_by');
  must(await living.host.extensions.disable('notes', ADA));
  expect(living.extension('notes')).toMatchObject({ state: 'disabled', disabled_by: 'person' });

  const { version } = living.host.extensions.list();
  await living.save({ 'mcp.json': list(true) });
  await vi.waitFor(() => expect(living.extension('notes')?.disabled_by).toBe('file'), PATIENCE);
  expect(living.host.tools.get('read_graph').ok).toBe(false);
  expect(living.host.extensions.list().version).toBe(version + 1);
  living = await living.restart();
  expect(living.extension('notes')).toMatchObject({ state: 'disabled', disabled_by: 'file' });
  expect(living.host.extensions.list().version).toBe(version + 1);

  await living.save({ 'mcp.json': list(false) });
  await vi.waitFor(() => expect(living.extension('notes')?.disabled_by).toBe('person'), PATIENCE);
  expect(must(await living.host.extensions.enable('notes', ADA)).state).toBe('ready');
  await living.save({ 'mcp.json': list(true) });
  await vi.waitFor(() => expect(living.extension('notes')?.disabled_by).toBe('file'), PATIENCE);
  await living.save({ 'mcp.json': JSON.stringify({ mcpServers: {} }) });
  await vi.waitFor(() => expect(living.extension('notes')).toBeUndefined(), PATIENCE);
});
