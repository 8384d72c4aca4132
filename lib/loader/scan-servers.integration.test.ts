import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scanExtensions } from './scanner.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'servers-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function scan(files: Readonly<Record<string, string | Uint8Array>>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const { candidates, failed, leftOut } = await scanExtensions(folder);
  return {
    leftOut: leftOut.map(({ id }) => id).sort(),
    ids: candidates.map(({ id }) => id).sort(),
    failures: Object.fromEntries(failed.map(({ id, failure }) => [id, failure])),
  };
}

const list = (servers: object): string => JSON.stringify({ mcpServers: servers }, null, 2);
const server = { command: 'node' };

describe('extensions/mcp.json', () => {
  it('is unreadable when it is not UTF-8', async () => {
    const { ids, failures } = await scan({ 'mcp.json': Buffer.from(`\uFEFF${list({ one: server })}`, 'utf16le') });
    expect(ids).toEqual([]);
    expect(failures).toMatchObject({ 'mcp.json': { code: 'unreadable', message: expect.stringContaining('UTF-16'), line: 1, column: 1 } });
  });

  it('defines one extension for each server that is not disabled', async () => {
    const found = await scan({
      'mcp.json': list({ one: server, two: { url: 'http://h/' }, off: { ...server, disabled: true }, on: { ...server, disabled: false } }),
      'alone/mcp.json': JSON.stringify(server),
      'idle/mcp.json': JSON.stringify({ ...server, disabled: true }),
    });
    expect(found).toEqual({ ids: ['alone', 'on', 'one', 'two'], leftOut: ['idle', 'off'], failures: {} });
  });

  it.each([
    {
      what: 'is not JSON',
      text: '{ "mcpServers": {\n  "a": { command: "x" } } }',
      code: 'syntax_error',
      line: 2,
      column: 10,
      says: /double quotes/,
    },
    { what: 'is empty', text: '', code: 'syntax_error', line: 1, column: 1, says: /empty/ },
    { what: 'has comments', text: '// mine\n{ "mcpServers": {} }', code: 'syntax_error', line: 1, column: 1, says: /no comments/ },
    { what: 'is cut off', text: '{\n  "mcpServers": {', code: 'syntax_error', line: 2, column: 18, says: /brace/ },
    { what: 'is a list', text: '[]', code: 'field_invalid', line: 1, column: 1, says: /a list; it must be an object/ },
    { what: 'has a list of servers', text: '{\n  "mcpServers": [] }', code: 'field_invalid', line: 2, column: 3, says: /a list/ },
    {
      what: 'is written as for another client',
      text: '{\n "servers": {} }',
      code: 'fields_missing',
      line: 2,
      column: 2,
      says: /Rename `servers`/,
    },
    {
      what: 'is one server alone',
      text: '{ "command": "node" }',
      code: 'fields_missing',
      line: 1,
      column: 1,
      says: /extensions\/<name>\/mcp\.json/,
    },
  ])('that $what is one failed extension, mcp.json', async ({ text, code, line, column, says }) => {
    const { ids, failures } = await scan({ 'mcp.json': text });
    expect(ids).toEqual([]);
    expect(failures).toEqual({ 'mcp.json': expect.objectContaining({ code, line, column, file: path.join(folder, 'mcp.json') }) });
    expect(`${failures['mcp.json']?.message} ${failures['mcp.json']?.hint}`).toMatch(says);
  });

  it('validates names, and reports their location', async () => {
    const { ids, failures } = await scan({ 'mcp.json': list({ 'my server': server, tools: server, fine: server }) });
    expect(ids).toEqual(['fine']);
    expect(failures).toMatchObject({
      'my server': { code: 'name_invalid', line: 3, column: 5, hint: 'Rename the server, for example to “my_server”.' },
      tools: { code: 'name_invalid', line: 6 },
    });
  });

  it('loads neither of two servers with one name, nor a server with the name of a folder', async () => {
    const { ids, failures } = await scan({
      'mcp.json': '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}, "b": {"command": "x"}, "c": {"command": "x"}}}',
      'b/mcp.json': JSON.stringify(server),
      'd/extension.ts': '',
    });
    expect(ids).toEqual(['c', 'd']);
    expect(failures).toMatchObject({
      a: { code: 'entry_ambiguous', message: expect.stringContaining('more than once') },
      b: { code: 'entry_ambiguous', message: expect.stringContaining('extensions/b/mcp.json') },
    });
  });
});
