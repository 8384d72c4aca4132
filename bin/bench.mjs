import { spawn } from 'node:child_process';
import path from 'node:path';
import { setUp } from './set-up.mjs';
import { nodeProgram } from './set-up/node-program.mjs';
import { ROOT } from './set-up/run-command.mjs';

/**
 * `npm run bench [-- --quick] [-- --write] [-- saves calls mcp reloads starts loads memory secrets history retention pages]`, `npm run bench -- soak [--minutes 10] [--extensions 1000] [--write]`, `npm run bench -- many [--extensions 50,300]`,
 * `npm run bench -- instances [--kills 20] [--quick]`: installs and builds what is missing, then measures.
 * It prints results without asserting them. Signals are forwarded, so the benchmark can stop its processes.
 */
await setUp({ build: true });
const measuring = spawn(nodeProgram(), [path.join(ROOT, 'bench', 'run-benchmarks.ts'), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => measuring.kill(signal));
measuring.once('error', (error) => {
  console.error(`switchboard: the benchmark did not start: ${error.message}`);
  process.exit(1);
});
measuring.once('exit', (code) => process.exit(code ?? 1));
