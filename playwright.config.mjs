import { defineConfig } from '@playwright/test';
import { findBrowser } from './bin/set-up/find-browser.mjs';
import { chooseTestFolder } from './bin/set-up/test-folder.mjs';
import { findTestPython } from './bin/set-up/test-python.mjs';

/*
 * Browser tests in Chromium against the production build. Every worker reads this file again; the first read finds the browser
 * and passes it on in the environment. The global set-up builds once.
 */
process.env.CHROMIUM_PATH ??= await findBrowser();
chooseTestFolder();
findTestPython();

const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/harness/build-once.mjs',
  outputDir: '.cache/e2e-results',
  forbidOnly: true,
  fullyParallel: false,
  // More workers than cores: a page, its server and its extensions wait for each other and for the disk.
  workers: 3,
  retries: 1,
  // Limits for hangs, not for slowness: a busy machine needs ten seconds to build an extension.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    actionTimeout: 30_000,
    navigationTimeout: 45_000,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      chromiumSandbox: !isRoot,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
