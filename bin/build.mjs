import { setUp } from './set-up.mjs';
import { say } from './set-up/run-command.mjs';

/** `npm run build`: packages and pages, where they are not up to date. */
await setUp({ build: true });
say('the build is up to date');
