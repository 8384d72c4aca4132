import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instanceListSchema } from '#lib/contract/instance.ts';
import { OF_SQLITE, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { runCommand } from './command-for-tests.ts';
import { instancesCommand } from './instances.ts';

let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': 'export const TOOL = 1;' }, OF_SQLITE);
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

const list = (...args: string[]) => runCommand(instancesCommand, [...args, '--url', served.url]);

describe('switchboard instances', () => {
  it('prints a table with the state and load of each', async () => {
    const { code, stdout } = await list();
    expect(code).toBe(0);
    const [head, row, ...rest] = stdout.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['INSTANCE', 'STATE', 'CALLS', 'READY', 'FAILED', 'VERSION', 'STARTED', 'LAST SEEN']);
    expect(row?.split(/ {2,}/).slice(1, 6)).toEqual(['ready', '0', '1', '1', '0.0.0']);
    expect(rest).toEqual([]);
  });

  it('prints the answer of the API with --json', async () => {
    const { code, stdout } = await list('--json');
    expect(code).toBe(0);
    expect(instanceListSchema.parse(JSON.parse(stdout))).toMatchObject({ shared: false, instances: [{ state: 'ready', is_self: true }] });
  });

  it('exits with 1 when none is ready', async () => {
    living.host.instances.drain();
    const { code, stdout } = await list();
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('draining') });
  });

  it('exits with 3 without a server', async () => {
    const { code, stderr } = await runCommand(instancesCommand, ['--url', 'http://127.0.0.1:1']);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('No Switchboard answers') });
  });
});
