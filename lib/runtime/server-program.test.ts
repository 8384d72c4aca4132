import { expect, it } from 'vitest';
import { serverProgramSchema } from './server-program.ts';

it('reads entries of an earlier version without HTTP+SSE and timeout', () => {
  const connection = { type: 'http', url: 'https://h/mcp', headers: {} };
  const kept = { extension: 'far', folder: '/extensions', subject: [], prefix: 'far__', connection, warnings: [] };
  expect(serverProgramSchema.parse(kept)).toEqual({
    ...kept,
    timeoutMs: null,
    keepAlive: null,
    auth: 'server',
    connection: { ...connection, isSse: false },
  });
});
