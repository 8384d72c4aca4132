import { expect, it } from 'vitest';
import { serverProgramSchema } from './server-program.ts';

it('reads what an earlier version has written, which knew no HTTP+SSE', () => {
  const connection = { type: 'http', url: 'https://h/mcp', headers: {} };
  const kept = { extension: 'far', folder: '/extensions', subject: [], prefix: 'far__', connection, warnings: [] };
  expect(serverProgramSchema.parse(kept).connection).toEqual({ ...connection, isSse: false });
});
