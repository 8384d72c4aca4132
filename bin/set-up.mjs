import { buildPages } from './set-up/build-pages.mjs';
import { bundleServer } from './set-up/bundle-server.mjs';
import { installPackages } from './set-up/install-packages.mjs';

/** Installs and builds what a start needs. Silent if nothing is missing. Runs on Node 20 or newer. */
export async function setUp({ build }) {
  await installPackages();
  if (!build) return;
  await buildPages();
  await bundleServer();
}
