import { buildPages } from './set-up/build-pages.mjs';
import { installPackages } from './set-up/install-packages.mjs';

/** Everything a start needs that is not there yet. Says nothing when there is nothing to do. Any Node from 20 on. */
export async function setUp({ build }) {
  await installPackages();
  if (build) await buildPages();
}
