import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from './open-store.ts';

let folder: string;
let db: DatabaseSync;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-audit-'));
  const file = path.join(folder, 'switchboard.db');
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  await opened.store.audit.append(
    ['a', 'b'].map((id) => ({
      id,
      at: 1,
      actorKind: 'server',
      actorId: null,
      actorName: 'the server',
      action: 'extensions.reload',
      target: null,
      outcome: 'done',
      address: null,
      detail: {},
    })),
  );
  await opened.store.close();
  db = new DatabaseSync(file);
});
afterEach(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

const columns = '(seq, id, at, actor_kind, actor_name, action, outcome, detail_json)';

it.each([
  ["update audit_entries set outcome = 'refused'", 'never changed'],
  ["update audit_entries set at = 2 where id = 'a'", 'never changed'],
  ["delete from audit_entries where id = 'a'", 'never removed'],
  ['delete from audit_entries', 'never removed'],
  [`insert or replace into audit_entries ${columns} values (1, 'c', 9, 'server', 'x', 'y', 'done', '{}')`, 'never replaced'],
  [`replace into audit_entries ${columns} values (7, 'a', 9, 'server', 'x', 'y', 'done', '{}')`, 'never replaced'],
  [
    `insert into audit_entries ${columns} values (7, 'a', 9, 'server', 'x', 'y', 'done', '{}') on conflict (id) do update set at = 9`,
    'never replaced',
  ],
])('the database refuses: %s', (statement, why) => {
  const before = db.prepare('select * from audit_entries').all();
  expect(() => db.exec(statement)).toThrow(why);
  expect(db.prepare('select * from audit_entries').all()).toEqual(before);
});
