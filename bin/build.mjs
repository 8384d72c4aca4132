import { setUp } from './set-up.mjs';
import { say } from './set-up/run-command.mjs';

/** `npm run build`: installs packages and builds pages if needed. */
await setUp({ build: true });
say('the build is up to date');
