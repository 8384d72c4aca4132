import { defineConfig } from '@playwright/test';
import { findBrowser } from './bin/set-up/find-browser.mjs';
import { chooseTestFolder } from './bin/set-up/test-folder.mjs';
import { findTestPython } from './bin/set-up/test-python.mjs';

/*
 * The story in a real Chromium against the production build. This file is read again in every worker; the first reading
 * finds the browser and hands it on, and the build is made once, by the global set-up.
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
  // More than cores: a page, its server and its extensions wait for each other and for the disk.
  workers: 3,
  retries: 1,
  // Limits for what hangs, not for what is slow: a machine that does other things as well builds an extension in ten seconds.
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
