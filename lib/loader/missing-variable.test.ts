import { expect, it } from 'vitest';
import { lastErrorLine, missingVariable, withLastErrorLine } from './missing-variable.ts';

const of = (message: string, line: string | null = null, output: string | null = null): string | null =>
  missingVariable({ message, line, output });

it('names the key of os.environ that is not set, and no other key', () => {
  expect(of("KeyError: 'MY_KEY'", 'KEY = os.environ["MY_KEY"]')).toBe('MY_KEY');
  expect(of("KeyError: 'city'", 'print(row["city"])')).toBeNull();
  expect(of("KeyError: 'city'", 'print(os.environ["HOME"], row["city"])')).toBeNull();
});

it.each([
  ["TypeError: Cannot read properties of undefined (reading 'trim')", 'const key = process.env.API_KEY.trim();', 'API_KEY'],
  ["TypeError: Cannot read properties of undefined (reading 'trim')", "const key = process.env['API_KEY'].trim();", 'API_KEY'],
  ["TypeError: Cannot read properties of undefined (reading 'trim')", 'const key = settings.key.trim();', null],
  ["AttributeError: 'NoneType' object has no attribute 'strip'", 'KEY = os.getenv("API_KEY").strip()', 'API_KEY'],
  ['OTHER_KEY must be set', null, 'OTHER_KEY'],
  ['ValueError: Please provide GITHUB_TOKEN', null, 'GITHUB_TOKEN'],
  ['EACCES: permission denied', null, null],
  ['SQLITE_ERROR: no such table', null, null],
])('finds the variable of “%s”', (message, line, name) => {
  expect(of(message, line)).toBe(name);
});

it('finds it in the last output of a server', () => {
  const output = 'starting\nError: API_KEY environment variable is required\n    at main (server.js:1:1)\nNode.js v26.10.0\n';
  expect(of('The server was ended by SIGTERM before it had answered.', null, output)).toBe('API_KEY');
  expect(lastErrorLine(output)).toBe('Error: API_KEY environment variable is required');
  expect(lastErrorLine('only this\n')).toBe('only this');
  expect(lastErrorLine('\n')).toBeNull();
  expect(lastErrorLine(`Error: ${'x'.repeat(400)}`)).toHaveLength(300);
});

it('adds the last output line of a server only to the message of its exit', () => {
  const message = 'The server was ended by SIGTERM before it had answered.';
  const output =
    'Error: no port\nThe server was ended by SIGTERM before it had answered; it is started once more and asked the older way\n';
  expect(withLastErrorLine({ code: 'mcp_error', message, output })).toBe(
    'The server was ended by SIGTERM before it had answered. Its last output: Error: no port',
  );
  expect(withLastErrorLine({ code: 'mcp_error', message })).toBe(message);
  expect(withLastErrorLine({ code: 'import_error', message, output })).toBe(message);
});
