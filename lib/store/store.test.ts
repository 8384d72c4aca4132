import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyDatabaseTemplate } from '#lib/testing/database-template.ts';
import { openStore } from './open-store.ts';
import { describeStoreContract } from './store-contract.ts';

describeStoreContract('SQLite', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-store-'));
  const file = path.join(folder, 'data', 'switchboard.db');
  await copyDatabaseTemplate(file);
  return {
    async open() {
      const opened = await openStore({ file });
      if (!opened.ok) throw new Error(opened.reason);
      return opened.store;
    },
    remove: () => rm(folder, { recursive: true }),
  };
});
