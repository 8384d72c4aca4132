import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../open-store.ts';
import { describeFoundCalls } from '../store-contract-found-calls.ts';

describeFoundCalls('SQLite', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-found-'));
  const file = path.join(folder, 'switchboard.db');
  return {
    async open() {
      const opened = await openStore({ file });
      if (!opened.ok) throw new Error(opened.reason);
      return opened.store;
    },
    beforePart: async () => undefined,
    async forgetMarks(ids) {
      using db = new DatabaseSync(file);
      const insert = db.prepare(
        'insert or replace into call_search (rowid, text) select seq, tool || arguments_json from calls where id = ?',
      );
      for (const id of ids) insert.run(id);
      db.prepare(`update counters set value = ? where name = 'search_unmarked'`).run(ids.length);
    },
    async unmarked() {
      using db = new DatabaseSync(file, { readOnly: true });
      return Number(db.prepare(`select value from counters where name = 'search_unmarked'`).get()?.['value']);
    },
    async remove() {
      rmSync(folder, { recursive: true });
    },
  };
});
