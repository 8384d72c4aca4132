import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { chooseTestFolder } from './bin/set-up/test-folder.mjs';

chooseTestFolder();
// Each file of the integration tests has a process of its own, which loads the same packages.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'compile');

const INTEGRATION = '**/*.integration.test.{ts,tsx}';
const NEVER = ['**/node_modules/**', '**/.next/**', '**/.cache/**', 'data/**', 'e2e/**', '**/fixtures/**', 'extensions/**'];

/**
 * `unit`: beside the file, pure, fast. `dom`: the same for browser code (`.tsx` and lib/client). Files share processes and
 * loaded modules to save time, so tests must reset module state. Two workers, because Vitest reserves one core by default.
 * `integration`: real processes and folders. Each file has its own process, so that leaked children can be attributed.
 * `--reporter=json` writes .cache/test-results.json unless `--outputFile` is given. Timeouts are for hangs only.
 */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: '#components/ui' } },
  test: {
    outputFile: { json: '.cache/test-results.json' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
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
          setupFiles: ['./lib/testing/set-up.ts', './lib/testing/set-up-pages.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [INTEGRATION],
          exclude: NEVER,
          environment: 'node',
          pool: 'forks',
          maxWorkers: 4,
          // After the others, which use as many processes as there are cores; these wait more than they work.
          sequence: { groupOrder: 1 },
          setupFiles: ['./lib/testing/set-up.ts'],
        },
      },
    ],
  },
});
