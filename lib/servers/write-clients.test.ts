import { expect, it } from 'vitest';
import { SERVER_CLIENTS } from '#lib/contract/servers.ts';
import { readClientServers } from './read-clients.ts';
import { changeServerFile, changeServerList, writeClientServers, extractSecrets } from './write-clients.ts';

const SERVERS = [
  {
    name: 'local',
    config: { command: 'npx', args: ['-y', 'x', '--root', '/data'], env: { API_KEY: '${secret:API_KEY}', LEVEL: 'info' }, timeout: 60 },
  },
  { name: 'remote', config: { url: 'https://h.example.com/mcp', headers: { Authorization: 'Bearer ${secret:REMOTE_TOKEN}' }, prefix: '' } },
];

it.each(SERVER_CLIENTS.filter((client) => client !== 'claude-desktop'))(
  'servers written for %s are the same when they are imported',
  (client) => {
    const written = writeClientServers(client, SERVERS);
    const read = readClientServers(client, written.text);
    if (!read.ok) throw new Error(read.reason);
    const names = JSON.stringify(read.servers).match(/API_KEY|REMOTE_TOKEN/g);
    expect(new Set(names)).toEqual(new Set(['API_KEY', 'REMOTE_TOKEN']));
    expect(read.skipped).toEqual([]);
    expect(read.servers).toMatchObject([
      { name: 'local', config: { command: 'npx', args: ['-y', 'x', '--root', '/data'] }, warnings: [] },
      { name: 'remote', config: { url: 'https://h.example.com/mcp' }, warnings: [] },
    ]);
  },
);

it('a client without variables gets placeholders, and a warning that names them', () => {
  const { text, warnings } = writeClientServers('claude-desktop', SERVERS);
  expect(JSON.parse(text)).toMatchObject({
    mcpServers: {
      local: { env: { API_KEY: '<API_KEY>' } },
      remote: {
        command: 'npx',
        args: ['-y', 'mcp-remote', 'https://h.example.com/mcp', '--header', 'Authorization:Bearer <REMOTE_TOKEN>'],
      },
    },
  });
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).toContain('REMOTE_TOKEN');
});

it('a server is changed in the text of mcp.json, and the others stay unchanged', () => {
  const text = '{\n\t"other": 1,\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n';
  const added = changeServerList(text, { b: { url: 'https://h' } });
  expect(JSON.parse(added)).toEqual({ other: 1, mcpServers: { a: { command: 'x' }, b: { url: 'https://h' } } });
  expect(changeServerList(added, { b: null })).toBe(text);
  expect(JSON.parse(changeServerList(null, { a: { command: 'x' } }))).toEqual({ mcpServers: { a: { command: 'x' } } });
  expect(JSON.parse(changeServerList('{}', { a: { command: 'x' } }))).toEqual({ mcpServers: { a: { command: 'x' } } });
  expect(JSON.parse(changeServerFile('{ "command": "x" }', { url: 'https://h' }))).toEqual({ url: 'https://h' });
});

it('credentials are replaced by secrets with unused names', () => {
  const taken = extractSecrets(
    {
      command: 'x',
      args: ['--api-key', 'k3y-abcdef-012345', '--token=t0k3n-abcdef-678901', '--root', '/data'],
      env: { API_KEY: 'value-one', LEVEL: 'info', ALREADY: '${secret:X}' },
      headers: { Authorization: 'Bearer abc.def-ghi', 'X-Key': 'value-two' },
    },
    {
      server: 'my server',
      secretsOf: (name, value) => (/key/i.test(name) ? [value] : []),
      isFree: (name) => name !== 'API_KEY',
    },
  );
  expect(taken.config).toEqual({
    command: 'x',
    args: ['--api-key', '${secret:MY_SERVER_ARGUMENT}', expect.stringMatching(/^--token=\$\{secret:\w+\}$/), '--root', '/data'],
    env: { API_KEY: '${secret:MY_SERVER_API_KEY}', LEVEL: 'info', ALREADY: '${secret:X}' },
    headers: { Authorization: 'Bearer ${secret:MY_SERVER_TOKEN}', 'X-Key': '${secret:MY_SERVER_X_KEY}' },
  });
  expect([...taken.values.values()].toSorted()).toEqual(
    ['abc.def-ghi', 'k3y-abcdef-012345', 't0k3n-abcdef-678901', 'value-one', 'value-two'].toSorted(),
  );
});
