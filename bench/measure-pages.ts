import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import type { Browser, Page, Response } from '@playwright/test';
import * as z from 'zod';
import { API, PAGES } from '#lib/contract/paths.ts';
import { findBrowser } from '../bin/set-up/find-browser.mjs';
import { createExtensionFolder, extensionId, toolName } from './extension-folder.ts';
import type { Section } from './report.ts';
import { answersOk, ROOT, startProduct } from './servers.ts';

/** Scripts that a page loads until it can be used, in a new browser profile, beside those of the framework. */

const TOOL_MOST_KB = 180;
const PAGE_MOST_KB = 120;

interface Load {
  readonly address: string;
  readonly scripts: number;
  readonly gzip: number;
  /** Over the network. */
  readonly brotli: number;
}

export async function measurePages(): Promise<Section> {
  const folder = await createExtensionFolder(3);
  const server = await startProduct(folder.path, { WATCH: 'off' });
  const browser = await chromium.launch({ executablePath: await findBrowser(), chromiumSandbox: process.getuid?.() !== 0 });
  try {
    await answersOk(server, '/readyz');
    const id = await callOnce(server.url);
    const addresses = [
      PAGES.overview,
      PAGES.tools,
      PAGES.tool(toolName(0)),
      PAGES.extensions,
      PAGES.extension(extensionId(0)),
      PAGES.calls,
      PAGES.call(id),
      PAGES.failures,
      PAGES.channels,
      PAGES.channel('web'),
      PAGES.timeline,
    ];
    const loads: Load[] = [await framework()];
    for (const address of addresses) loads.push(await loadOnce(browser, server.url, address));
    const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(1);
    const tool = loads.filter(({ address }) => address === PAGES.tool(toolName(0)));
    const others = loads.filter((load) => load.address.startsWith('/') && !tool.includes(load));
    const targetOf = (name: string, of: readonly Load[], most: number) => {
      const found = Math.max(...of.map(({ brotli }) => brotli));
      return { target: `${name} ≤ ${most} kB`, found: `${kilobytes(found)} kB`, isMet: found <= most * 1_000 };
    };
    return {
      title: 'Scripts of a page',
      method: 'Scripts that a new browser loads until the page is connected and its form, if it has one, can be used; in kB.',
      tables: [
        {
          head: ['page', 'files', 'gzip', 'as sent (brotli)'],
          rows: loads.map((load) => [load.address.replace(id, '{id}'), String(load.scripts), kilobytes(load.gzip), kilobytes(load.brotli)]),
        },
      ],
      targets: [targetOf('the page of a tool', tool, TOOL_MOST_KB), targetOf('every other page', others, PAGE_MOST_KB)],
    };
  } finally {
    await browser.close();
    await server.end();
    await folder.remove();
  }
}

const manifestSchema = z.object({ rootMainFiles: z.array(z.string()) });

/** Scripts of Next and React, which every page of any application loads. */
async function framework(): Promise<Load> {
  const build = path.join(ROOT, process.env['NEXT_DIST_DIR'] ?? '.next');
  const { rootMainFiles } = manifestSchema.parse(JSON.parse(await readFile(path.join(build, 'build-manifest.json'), 'utf8')));
  const bodies = await Promise.all(rootMainFiles.map((file) => readFile(path.join(build, file))));
  return {
    address: 'Next and React alone',
    scripts: bodies.length,
    gzip: bodies.reduce((sum, body) => sum + gzipSync(body).length, 0),
    brotli: bodies.reduce((sum, body) => sum + brotliCompressSync(body).length, 0),
  };
}

async function callOnce(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/tools/${toolName(0)}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"arguments":{"left":1}}',
  });
  const call: unknown = await answer.json();
  if (typeof call !== 'object' || call === null || !('id' in call)) throw new Error('The call was not recorded.');
  return String(call.id);
}

async function loadOnce(browser: Browser, url: string, address: string): Promise<Load> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const scripts: Response[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response);
    });
    // A refetch, of which a slow page has more, loads the schemas of its response.
    await page.route(
      ({ pathname }) => pathname.startsWith(API.root) && pathname !== API.events,
      () => undefined,
    );
    await page.goto(url + address);
    await isUsable(page, address);
    const sizes = await Promise.all(
      scripts.map(async (script) => ({
        gzip: gzipSync(await script.body()).length,
        brotli: (await script.request().sizes()).responseBodySize,
      })),
    );
    const sum = (of: (size: (typeof sizes)[number]) => number): number => sizes.reduce((total, size) => total + of(size), 0);
    return { address, scripts: sizes.length, gzip: sum(({ gzip }) => gzip), brotli: sum(({ brotli }) => brotli) };
  } finally {
    await context.close();
  }
}

async function isUsable(page: Page, address: string): Promise<void> {
  await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
  if (address.startsWith(`${PAGES.tools}/`)) await page.getByRole('textbox', { name: 'As JSON' }).waitFor();
}
