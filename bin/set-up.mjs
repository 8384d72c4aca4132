import { buildPages } from './set-up/build-pages.mjs';
import { bundleServer } from './set-up/bundle-server.mjs';
import { installPackages } from './set-up/install-packages.mjs';

/** Everything a start needs that is not there yet. Says nothing when there is nothing to do. Any Node from 20 on. */
export async function setUp({ build }) {
  await installPackages();
  if (!build) return;
  await buildPages();
  await bundleServer();
}
