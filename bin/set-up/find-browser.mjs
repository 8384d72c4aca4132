import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeProgram } from './node-program.mjs';
import { ROOT, runCommand, say, stopWith } from './run-command.mjs';

/**
 * Chromium for the tests: an installed one, else the system's package, else Playwright's. Debian's headless shell is preferred:
 * the same engine opens a page in under a third of the time.
 */

const WITHOUT_WINDOWS = 'chromium-headless-shell';
const NAMES = [WITHOUT_WINDOWS, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/opt/google/chrome/chrome',
];

/** Resolves to the path of the executable. */
export async function findBrowser() {
  const there = installedBrowser() ?? (await playwrightBrowser());
  if (there !== null) return there;
  if (process.getuid?.() === 0 && onPath('apt-get') !== null) {
    say('installing Chromium for the tests (apt-get)');
    await runCommand('apt-get', ['update', '-q']);
    for (const name of [WITHOUT_WINDOWS, 'chromium']) {
      await runCommand('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
      const installed = installedBrowser();
      if (installed !== null) return installed;
    }
  }
  say("installing Playwright's Chromium for the tests");
  const outcome = await runCommand(nodeProgram(), [path.join(ROOT, 'node_modules', 'playwright', 'cli.js'), 'install', 'chromium']);
  return (await playwrightBrowser()) ?? stopWith('no browser found or installed. Install Chromium, or set CHROMIUM_PATH.', outcome.output);
}

function installedBrowser() {
  const { CHROMIUM_PATH: given } = process.env;
  if (given)
    return existsSync(given)
      ? given
      : stopWith(`CHROMIUM_PATH is "${given}", which does not exist; accepted: the path of a Chromium or Chrome.`);
  return NAMES.map(onPath).find((found) => found !== null) ?? PLACES.find((place) => existsSync(place)) ?? null;
}

async function playwrightBrowser() {
  const { chromium } = await import(pathToFileURL(path.join(ROOT, 'node_modules', 'playwright', 'index.mjs')).href);
  const file = chromium.executablePath();
  return existsSync(file) ? file : null;
}

function onPath(name) {
  for (const folder of [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin']) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return null;
}
