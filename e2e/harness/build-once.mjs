import { setUp } from '../../bin/set-up.mjs';

/** Builds pages and server like `npm start`, if they are missing or older than their sources. */
// oxlint-disable-next-line import/no-default-export -- Playwright calls the default export
export default () => setUp({ build: true });
