import type { TestProject } from 'vitest/node';
import { compilePythonProgram } from '../../bin/set-up/test-python.mjs';
import { startPostgres } from './postgres.ts';
import { makeSharedPrograms } from './shared-programs.ts';

const VARIABLE = 'TEST_POSTGRES';

/** Global set-up of a project of Vitest: the programs of processes, and with TEST_DATABASE=postgres one PostgreSQL for the hosts of all test files (test-database.ts). */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  compilePythonProgram();
  await makeSharedPrograms();
  const database = project.config.env['TEST_DATABASE'] ?? process.env['TEST_DATABASE'];
  if (database !== 'postgres' || process.env[VARIABLE] !== undefined) return undefined;
  const postgres = await startPostgres(['max_connections=500']);
  // Test processes inherit it.
  process.env[VARIABLE] = postgres.url;
  return () => postgres.close();
}
