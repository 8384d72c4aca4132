import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadExtension } from 'switchboard/testing';

test('finds a stored entity again', async () => {
  await using memory = await loadExtension(import.meta.dirname);
  const ada = { name: 'Ada', entityType: 'person', observations: ['likes tea'] };
  await memory.call('memory__create_entities', { entities: [ada] });
  const found = await memory.call('memory__search_nodes', { query: 'tea' });
  assert.match(JSON.stringify(found), /Ada/);
});
