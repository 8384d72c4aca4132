import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';

const STDIO_SERVER = path.resolve(import.meta.dirname, '../runtime/fixtures/stdio-server.mjs');
const PATIENCE = { timeout: 30_000, interval: 50 };

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

/** A server in the folder of its entry, as code that uses `serve`, `send`, `tool` and `text`. */
const server = (id: string, code: string, args: readonly string[] = []): Readonly<Record<string, string>> => ({
  [`${id}/mcp.json`]: JSON.stringify({ command: 'node', args: ['server.mjs', ...args] }),
  [`${id}/server.mjs`]: `import { send, serve, text, tool } from ${JSON.stringify(STDIO_SERVER)};\n${code}`,
});

const LATE = `
  let late = false;
  const add = () => {
    late = true;
    send({ method: 'notifications/tools/list_changed' });
  };
  const wait = Number(process.argv[2]);
  serve({
    capabilities: { tools: { listChanged: true } },
    list: () => [tool('early'), ...(late ? [tool('late')] : [])],
    onNotification: (method) => method === 'notifications/initialized' && (wait < 0 ? add() : setTimeout(add, wait)),
    call: ({ name }) => text(name),
  });
`;

describe('an MCP server whose tools change', () => {
  it('at any moment of its load serves all of them', async () => {
    const waits = [-1, 0, 1, 3, 10, 30, 60, 120, 250, 400];
    living = await startHost(Object.assign({}, ...waits.map((wait, index) => server(`m${index}`, LATE, [String(wait)]))));
    const { extension, call } = living;
    await vi.waitFor(
      () => expect(waits.filter((_, index) => extension(`m${index}`)?.tools.includes(`m${index}__late`) !== true)).toEqual([]),
      PATIENCE,
    );
    expect((await call('m0__late')).status).toBe('succeeded');
  });

  it('during the load are known at the next start, too', async () => {
    living = await startHost(server('m', LATE, ['-1']));
    await vi.waitFor(() => expect(living?.extension('m')?.tools).toContain('m__late'), PATIENCE);
    living = await living.restart();
    expect(living.extension('m')).toMatchObject({ process: { state: 'none' }, tools: ['m__early', 'm__late'] });
  });

  it('and that cannot list them at first is retried, with the reason in its log', async () => {
    const code = `
      let tools = [tool('grow')];
      let refusals = 0;
      serve({
        capabilities: { tools: { listChanged: true } },
        list: () => {
          if (tools.length > 1 && (refusals += 1) <= 2) throw new Error('The upstream is not there yet');
          return tools;
        },
        call: () => {
          tools = [...tools, tool('grown')];
          send({ method: 'notifications/tools/list_changed' });
          return text('grown');
        },
      });
    `;
    living = await startHost(server('m', code));
    const { call, host, extension } = living;
    await call('m__grow');
    await vi.waitFor(() => expect(extension('m')?.tools).toContain('m__grown'), PATIENCE);
    const lines = must(host.extensions.logs('m', {})).lines.filter(({ level }) => level === 'warn');
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/list could not be read: .*The upstream is not there yet.* Retrying in 1 s/),
      expect.stringMatching(/list could not be read: .*The upstream is not there yet.* Retrying in 2 s/),
    ]);
  });

  it('gets a name of another extension as soon as that one is removed', async () => {
    const code = `
      let tools = [tool('grow')];
      serve({
        capabilities: { tools: { listChanged: true } },
        list: () => tools,
        call: () => {
          tools = [...tools, tool('grown')];
          send({ method: 'notifications/tools/list_changed' });
          return text('grown');
        },
      });
    `;
    living = await startHost({
      ...server('m', code),
      'first/extension.ts': oneTool('m__grown', 'first'),
    });
    const { call, save, extension, host } = living;
    await call('m__grow');
    const leftOut = 'The tool name “m__grown” belongs to the extension “first”; it was left out here.';
    await vi.waitFor(() => expect(extension('m')?.warnings).toContain(leftOut), PATIENCE);
    await save({ 'first/extension.ts': null });
    await vi.waitFor(() => expect(extension('m')?.tools).toEqual(['m__grow', 'm__grown']), PATIENCE);
    expect(extension('m')).toMatchObject({ state: 'ready', warnings: [] });
    expect(must(host.tools.get('m__grown')).extension).toBe('m');
    expect((await call('m__grown')).status).toBe('succeeded');
  });

  it('without the listChanged capability is polled, with one log entry', async () => {
    const code = `
      let tools = [tool('grow')];
      serve({
        list: () => tools,
        call: () => {
          tools = [...tools, tool('grown_' + tools.length)];
          send({ method: 'notifications/tools/list_changed' });
          return text('grown');
        },
      });
    `;
    living = await startHost(server('m', code));
    const { call, host, extension } = living;
    await call('m__grow');
    await vi.waitFor(() => expect(extension('m')?.tools).toContain('m__grown_1'), PATIENCE);
    await call('m__grow');
    await vi.waitFor(() => expect(extension('m')?.tools).toContain('m__grown_2'), PATIENCE);
    const warned = must(host.extensions.logs('m', {})).lines.filter(({ level }) => level === 'warn');
    expect(warned).toMatchObject([{ message: expect.stringContaining('without declaring `listChanged`') }]);
  });
});
