import type { PROVOCATIONS } from './failing-files.ts';

/** Entries of `mcp.json` that do not load, and what must be said of them. */
export const SERVER_PROVOCATIONS: typeof PROVOCATIONS = [
  {
    code: 'syntax_error',
    what: 'a comma too many in mcp.json',
    files: { 'x/mcp.json': '{\n  "command": "node",\n}' },
    expected: { file: 'x/mcp.json', line: 3, column: 1 },
    says: /not JSON/,
  },
  {
    code: 'unreadable',
    what: 'an mcp.json of one server that is not UTF-8',
    files: { 'x/mcp.json': Buffer.from('{\n  "command": "caf\u00e9"\n}', 'latin1') },
    expected: { file: 'x/mcp.json', line: 2, column: 18 },
    says: /mcp\.json is not UTF-8: byte 19/,
  },
  {
    code: 'fields_missing',
    what: 'a server without command and url',
    files: { 'x/mcp.json': '{\n  "comand": "node"\n}' },
    expected: { file: 'x/mcp.json', line: 1 },
    says: /Did you mean `command` where it says `comand`/,
  },
  {
    code: 'field_invalid',
    what: 'args that are one text',
    files: { 'x/mcp.json': '{\n  "command": "node",\n  "args": "server.js"\n}' },
    expected: { file: 'x/mcp.json', line: 3, column: 3 },
    says: /`args` must be a list/,
  },
  {
    code: 'config_missing',
    what: 'a variable that is not set',
    files: { 'mcp.json': '{"mcpServers": {"x": {\n  "command": "node",\n  "env": { "KEY": "${SERVICE_KEY}" }\n}}}' },
    expected: { file: 'mcp.json', line: 3, column: 12 },
    says: /SERVICE_KEY/,
  },
  {
    code: 'runtime_missing',
    what: 'a command that is not there',
    files: { 'x/mcp.json': '{ "command": "no-such-server" }' },
    expected: { file: 'x/mcp.json', line: 1, column: 3, stage: 'start' },
    says: /no-such-server/,
  },
  {
    code: 'runtime_missing',
    what: 'a command that is a file and no program',
    files: { 'x/mcp.json': '{ "command": "./run.sh" }', 'x/run.sh': '#!/bin/sh\n' },
    expected: { file: 'x/mcp.json', line: 1, column: 3, stage: 'start' },
    says: /is there, but it may not be run/,
  },
  {
    code: 'mcp_error',
    what: 'a server that ends before it answers',
    files: { 'x/mcp.json': '{ "command": "node", "args": ["-e", "console.error(\'no licence\'); process.exit(3)"] }' },
    expected: { file: 'x/mcp.json', stage: 'start' },
    says: /exit code 3/,
  },
  {
    code: 'mcp_error',
    what: 'a server at an address where nobody listens',
    files: { 'x/mcp.json': '{ "url": "http://127.0.0.1:65534/mcp?key=secret" }' },
    expected: { file: 'x/mcp.json', stage: 'start' },
    says: /http:\/\/127\.0\.0\.1:65534\/mcp cannot be reached/,
  },
  {
    code: 'mcp_error',
    what: 'a server that prints what is not MCP and never answers',
    files: { 'x/mcp.json': '{ "command": "node", "args": ["-e", "setInterval(() => console.log(\'beep\'), 50)"] }' },
    expected: { file: 'x/mcp.json', stage: 'start' },
    says: /did not answer within/,
  },
  {
    code: 'entry_ambiguous',
    what: 'one name in both forms',
    files: { 'x/extension.ts': '', 'mcp.json': '{"mcpServers": {"x": {"command": "node"}}}' },
    expected: { file: 'mcp.json', line: 1, column: 17 },
    says: /extensions\/x\/extension\.ts/,
  },
];
