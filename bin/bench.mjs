import { spawn } from 'node:child_process';
import path from 'node:path';
import { setUp } from './set-up.mjs';
import { nodeProgram } from './set-up/install-packages.mjs';
import { ROOT } from './set-up/run-command.mjs';

/**
 * `npm run bench [-- --quick] [-- --write] [-- saves calls mcp reloads starts loads memory secrets history retention]`, `npm run bench -- soak [--minutes 10] [--write]`: sets up what is missing and measures.
 * Figures are printed and judged by nobody. Signals are passed on: the measuring script ends what it started.
 */
await setUp({ build: true });
const measuring = spawn(nodeProgram(), [path.join(ROOT, 'bench', 'run-benchmarks.ts'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => measuring.kill(signal));
measuring.once('error', (error) => {
  console.error(`switchboard: the measuring script could not be started: ${error.message}`);
  process.exit(1);
});
measuring.once('exit', (code) => process.exit(code ?? 1));
