import path from 'node:path';
import { nodeProgram } from './set-up/node-program.mjs';
import { setUp } from './set-up.mjs';
import { ROOT, runCommand, say, stopWith } from './set-up/run-command.mjs';

/** Before `npm pack`: builds the pages if needed, then `dist`. npm prints stdout of scripts with the name of the package. */
console.log = console.error;
await setUp({ build: true });
say('making the package');
const outcome = await runCommand(nodeProgram(), [path.join(ROOT, 'bin', 'package', 'build-package.ts')]);
if (!outcome.ok) stopWith('the package was not made. Fix the errors above.', outcome.output);
