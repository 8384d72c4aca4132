import { mkdtemp, rm } from 'node:fs/promises';
import { request as requestHttp, Agent as HttpAgent } from 'node:http';
import { request as requestHttps, Agent as HttpsAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstallPreview } from '#lib/contract/dependencies.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { createLimiter } from '#lib/loader/load-batch.ts';
import type { Declaration } from './declaration.ts';
import { type InstallerSettings, resolvePackages } from './make-environment.ts';

/**
 * Preview of an install: the versions that the installer would choose, and the download size.
 *
 * What can go wrong: the versions cannot be resolved (the preview has the reason, and the next one retries); the index reports no
 * sizes, or only to accounts (they are unknown); the index changes before the install (the previewed versions are installed,
 * with their hashes).
 */
export interface Previews {
  /** @param lock exact versions that an install would use; null: they are resolved */
  get(key: string, declaration: Declaration, lock: string | null): Promise<InstallPreview>;
  /** The versions that the preview of this set showed, for its install. */
  lockOf(key: string): string | null;
  forget(key: string): void;
  close(): Promise<void>;
}

interface Preview {
  readonly shown: Promise<InstallPreview>;
  lock: string | null;
}

const AT_ONCE = 2;
const PREVIEW_MS = 120_000;
const PREVIEWS_KEPT = 200;

export function createPreviews(settings: InstallerSettings): Previews {
  const previews = new Map<string, Preview>();
  const controller = new AbortController();
  const { signal } = controller;
  const within = createLimiter(AT_ONCE);

  async function resolve(preview: Preview, declaration: Declaration, lock: string | null): Promise<InstallPreview> {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-preview-'));
    const limits = { ms: PREVIEW_MS, bytes: LIMITS.environmentBytes };
    try {
      const found = await resolvePackages({ declaration, lock, folder, settings, signal, limits, onLine: () => undefined });
      if (!found.ok) return { packages: null, failure: { message: found.message, hint: found.hint } };
      if (found.value === 'unknown') return { packages: null, failure: null };
      preview.lock = found.value.lock;
      const packages = found.value.packages.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      const sizes = await askSizes(
        packages.map(({ address }) => address),
        settings.environment,
        signal,
      );
      return {
        packages: packages.map(({ name, version }, at) => ({ name, version, download_bytes: sizes[at] ?? null })),
        failure: null,
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  function start(key: string, declaration: Declaration, lock: string | null): Preview {
    const { promise: shown, resolve: show, reject } = Promise.withResolvers<InstallPreview>();
    const preview: Preview = { shown, lock: null };
    previews.set(key, preview);
    for (const [old] of previews) if (previews.size > PREVIEWS_KEPT) previews.delete(old);
    within(() => resolve(preview, declaration, lock), signal).then(show, reject);
    shown.then(
      ({ failure }) => failure !== null && previews.delete(key),
      () => previews.delete(key),
    );
    return preview;
  }

  return {
    get: (key, declaration, lock) => (previews.get(key) ?? start(key, declaration, lock)).shown,
    lockOf: (key) => previews.get(key)?.lock ?? null,
    forget: (key) => void previews.delete(key),
    async close() {
      controller.abort();
      await Promise.allSettled([...previews.values()].map(({ shown }) => shown));
    },
  };
}

const SIZES_AT_ONCE = 8;
const SIZES_MOST = 300;
const SIZE_MS = 5_000;
const REDIRECTS_MOST = 3;

/** Sizes of the files at these URLs, as reported by their servers; null if not reported. */
async function askSizes(
  addresses: readonly (string | null)[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly (number | null)[]> {
  const options = { keepAlive: true, proxyEnv: environment as NodeJS.ProcessEnv };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const within = createLimiter(SIZES_AT_ONCE);
  const sizes = addresses.map(async (address, at) =>
    address === null || at >= SIZES_MOST ? null : within(() => askSize(address, agents, signal, REDIRECTS_MOST), signal),
  );
  try {
    return await Promise.all(sizes);
  } finally {
    agents.http.destroy();
    agents.https.destroy();
  }
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Without credentials, so sizes of a private index stay unknown. */
async function askSize(address: string, agents: Agents, signal: AbortSignal, redirects: number): Promise<number | null> {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || redirects < 0) return null;
  const [request, agent] = url.protocol === 'https:' ? [requestHttps, agents.https] : [requestHttp, agents.http];
  const head = await new Promise<{ readonly size: number | null; readonly to: string | undefined }>((resolve) => {
    const nothing = { size: null, to: undefined };
    const limits = AbortSignal.any([signal, AbortSignal.timeout(SIZE_MS)]);
    const asked = request(url, { method: 'HEAD', agent, signal: limits }, (response) => {
      response.resume();
      const { statusCode: status = 0, headers } = response;
      const size = /^\d{1,15}$/.test(headers['content-length'] ?? '') ? Number(headers['content-length']) : null;
      const isMoved = status >= 300 && status < 400;
      resolve({ size: status === 200 ? size : null, to: isMoved ? headers.location : undefined });
    });
    asked.once('error', () => resolve(nothing));
    asked.end();
  });
  if (head.to === undefined) return head.size;
  const next = URL.parse(head.to, url);
  return next === null ? null : askSize(next.href, agents, signal, redirects - 1);
}
