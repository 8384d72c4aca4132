import path from 'node:path';
import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { chooseTestFolder } from './bin/set-up/test-folder.mjs';
import { findTestPython } from './bin/set-up/test-python.mjs';

chooseTestFolder();
findTestPython();
// The workers load the same packages.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'compile');

const INTEGRATION = '**/*.integration.test.{ts,tsx}';
/** They replace a module, which only a process that has not loaded it can do. */
const WITH_MOCKS = [
  'lib/host/extensions-folder.integration.test.ts',
  'lib/host/storage-refusals.integration.test.ts',
  'lib/loader/load-ahead.integration.test.ts',
];
/**
 * Run a second time on PostgreSQL: what a host stores and finds, transactions, and concurrent writes, beyond the contract of the
 * store, which runs on both. Files about processes, languages, protocols, streams, permissions and formats run once:
 * `TEST_DATABASE=postgres` with `integration` runs these on it.
 */
const ON_POSTGRES = [
  'lib/accounts/join-links.integration.test.ts',
  'lib/api/middleware/{audit,idempotency}.integration.test.ts',
  'lib/api/routes/{body-fields,calls,channels,oauth,routes,secrets,team-failures,tokens}.integration.test.ts',
  'lib/host/{call-history,call-secrets,calls,channels}.integration.test.ts',
  'lib/host/{exact-integers,failure-groups,saved-calls,stored-versions}.integration.test.ts',
];
/** Short files that run for longest: without the times of an earlier run, Vitest starts with the largest files. */
const LONG =
  /\/(?:channel-faults|clocks|failure-codes|idle-processes|mcp-client-conformance|mcp-misbehaviour|(?:node|python|mcp)-runtime|(?:instance|python)-faults|python-dependencies|server-sign-ins|commands\/(?:probe|test)|package\/package)\.integration\.test\.ts$/;
const NEVER = ['**/node_modules/**', '**/.next/**', '**/.cache/**', 'data/**', 'dist/**', 'e2e/**', '**/fixtures/**', 'extensions/**'];

/** Vitest ends a process when the next file needs a new one, so files that do come first; the others then keep their processes. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId, project }: TestSpecification): number => {
      if (project.config.isolate) return 0;
      return LONG.test(moduleId) ? 1 : 2;
    };
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}

/**
 * `unit`: beside the file, pure, fast. `dom`: the same for browser code (`.tsx` and lib/client). Two workers, because Vitest
 * reserves one core by default. `integration`: real processes and folders; lib/testing/set-up.ts attributes leaked children.
 * Files share processes and loaded modules to save time, so tests must reset module state; `integration-mocks` do not.
 * `--reporter=json` writes .cache/test-results.json unless `--outputFile` is given. Timeouts are for hangs only.
 */
export default defineConfig({
  // package.json names the built files of a package.
  resolve: {
    alias: [
      { find: 'switchboard/testing', replacement: path.join(import.meta.dirname, 'lib/author-tests/load-extension.ts') },
      { find: /^switchboard$/, replacement: path.join(import.meta.dirname, 'lib/contract/extension-api.ts') },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: '#components/ui' } },
  test: {
    outputFile: { json: '.cache/test-results.json' },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...NEVER, INTEGRATION, 'lib/client/**'],
          environment: 'node',
          pool: 'forks',
          isolate: false,
          maxWorkers: 2,
          setupFiles: ['./lib/testing/set-up.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          include: ['**/*.test.tsx', 'lib/client/**/*.test.ts'],
          exclude: [...NEVER, INTEGRATION],
          environment: 'happy-dom',
          pool: 'forks',
          isolate: false,
          maxWorkers: 2,
          setupFiles: ['./lib/testing/set-up.ts', './lib/client/set-up-for-tests.ts'],
        },
      },
      integration('integration', { include: [INTEGRATION], exclude: [...NEVER, ...WITH_MOCKS], isolate: false }),
      integration('integration-postgres', { include: ON_POSTGRES, isolate: false }, { TEST_DATABASE: 'postgres' }),
      integration('integration-mocks', { include: WITH_MOCKS, isolate: true }),
    ],
  },
});

function integration(
  name: string,
  files: { include: string[]; exclude?: string[]; isolate: boolean },
  env: Readonly<Record<string, string>> = {},
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      ...files,
      env,
      globalSetup: './lib/testing/global-set-up.ts',
      environment: 'node',
      pool: 'forks',
      // Tests wait for about half of their time.
      maxWorkers: 6,
      // After the others, which use as many processes as there are cores.
      sequence: { groupOrder: 1 },
      setupFiles: ['./lib/testing/set-up.ts'],
    },
  };
}
