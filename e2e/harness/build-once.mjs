import { setUp } from '../../bin/set-up.mjs';

/** Before the first test: pages and server as `npm start` makes them, only where they are missing or older than their sources. */
// oxlint-disable-next-line import/no-default-export -- Playwright calls the default export
export default () => setUp({ build: true });
