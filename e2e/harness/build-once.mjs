import { buildPages } from '../../bin/set-up/build-pages.mjs';

/** Before the first test: the production build, made only where it is missing or older than its sources. */
// oxlint-disable-next-line import/no-default-export -- Playwright calls the default export
export default buildPages;
