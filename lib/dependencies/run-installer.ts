import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Runs one step of an install.
 *
 * What can go wrong: it hangs (time limit), fills the disk (size limit), starts child processes (they are in its process group and
 * end with it), writes endless output (only the newest lines are stored), or is cancelled. If the host dies, `prefix` ends it.
 */
export interface InstallerStep {
  readonly command: readonly [string, ...(readonly string[])];
  /** Its working directory; its size counts towards the limit. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Command prefix that ends the process with the host; empty if the system does not support it. */
  readonly prefix: readonly string[];
  readonly signal: AbortSignal;
  readonly limits: InstallLimits;
  readonly onLine: (line: string) => void;
}

export interface InstallLimits {
  readonly ms: number;
  readonly bytes: number;
}

export type StepOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly reason: 'exit' | 'spawn' | 'timeout' | 'size' | 'cancelled'; readonly detail: string };

const SIZE_CHECK_MS = 1_000;
const LINE_MOST = 2_000;
const STDOUT_MOST = 8_388_608;

export async function runInstaller(step: InstallerStep): Promise<StepOutcome> {
  const { signal, limits } = step;
  if (signal.aborted) return { ok: false, reason: 'cancelled', detail: '' };
  const { promise, resolve } = Promise.withResolvers<StepOutcome>();
  const [command, ...args] = [...step.prefix, ...step.command];
  const child = spawn(command ?? '', args, {
    cwd: step.folder,
    env: { ...step.environment } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let ended: Extract<StepOutcome, { ok: false }> | null = null;
  const stop = (reason: 'timeout' | 'size' | 'cancelled'): void => {
    ended ??= { ok: false, reason, detail: '' };
    endGroup(child.pid);
  };
  const cancel = (): void => stop('cancelled');
  const timer = setTimeout(() => stop('timeout'), limits.ms);
  signal.addEventListener('abort', cancel);
  const measured = new AbortController();
  void watchSize(step.folder, limits.bytes, measured.signal, () => stop('size'));

  let stdout = '';
  const lines = splitLines(step.onLine);
  child.once('error', (error) => (ended ??= { ok: false, reason: 'spawn', detail: error.message }));
  // Node creates no streams when no file descriptor is free.
  const streams: Partial<Pick<typeof child, 'stdout' | 'stderr'>> = child;
  streams.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (stdout.length < STDOUT_MOST) stdout += chunk;
    lines.push(chunk);
  });
  const errors = splitLines(step.onLine);
  streams.stderr?.setEncoding('utf8').on('data', (chunk: string) => errors.push(chunk));
  child.once('close', (code, killed) => {
    clearTimeout(timer);
    measured.abort();
    signal.removeEventListener('abort', cancel);
    lines.end();
    errors.end();
    endGroup(child.pid);
    if (ended !== null) resolve(ended);
    else if (code === 0) resolve({ ok: true, stdout });
    else resolve({ ok: false, reason: 'exit', detail: killed ?? `exit code ${code}` });
  });
  return promise;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function watchSize(folder: string, most: number, signal: AbortSignal, onExceeded: () => void): Promise<void> {
  while (!signal.aborted) {
    if ((await sizeOf(folder, most)) > most) return onExceeded();
    await wait(SIZE_CHECK_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** In bytes; stops once it exceeds `most`. Entries that vanish meanwhile count as 0. */
export async function sizeOf(folder: string, most = Number.POSITIVE_INFINITY): Promise<number> {
  let total = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && total <= most; next = waiting.pop()) {
    const parent = next;
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => !entry.isDirectory());
    const sizes = await Promise.all(
      files.map(({ name }) =>
        lstat(join(parent, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    total += sizes.reduce((sum, size) => sum + size, 0);
    waiting.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name)));
  }
  return total;
}

// oxlint-disable-next-line no-control-regex -- colours and cursor movements of progress displays
const TERMINAL = /\u001B\[[0-9;?]*[A-Za-z]/g;

function splitLines(onLine: (line: string) => void): { push(chunk: string): void; end(): void } {
  let open = '';
  const emit = (text: string): void => {
    const shown = text
      .replaceAll(TERMINAL, '')
      .replaceAll(/\/\/[^/@\s]+@/g, '//…@')
      .trimEnd();
    if (shown !== '') onLine(shown.slice(0, LINE_MOST));
  };
  return {
    push(chunk) {
      const parts = (open + chunk).split(/\r?\n|\r/);
      open = (parts.pop() ?? '').slice(0, 2 * LINE_MOST);
      for (const part of parts) emit(part);
    },
    end: () => emit(open),
  };
}

/** Path of this program in the folders of a PATH, or beside this Node. */
export async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of [...searchPath.split(delimiter), dirname(process.execPath)]) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere && isAbsolute(folder)) return file;
  }
  return null;
}

/**
 * The environment of an installer: the variables to start, to reach an index through a proxy and to verify its certificate. Nothing else,
 * so that it sees no secrets of the host or of extensions. Settings that would relocate an install or run scripts are
 * excluded: `PIP_TARGET`, `npm_config_prefix`, …
 */
const ALWAYS =
  /^(?:PATH|HOME|USERPROFILE|LANG|LC_\w+|TZ|TMPDIR|XDG_CACHE_HOME|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_HOME|SYSTEMROOT|APPDATA|LOCALAPPDATA)$/;
const REACHING =
  /^(?:https?_proxy|all_proxy|no_proxy|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|NETRC)$/i;
const PIP =
  /^PIP_(?:INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|TRUSTED_HOST|PROXY|CERT|CLIENT_CERT|CACHE_DIR|NO_CACHE_DIR|TIMEOUT|DEFAULT_TIMEOUT|RETRIES|CONFIG_FILE|CONSTRAINT|KEYRING_PROVIDER|PRE|DISABLE_PIP_VERSION_CHECK)$/;
const UV = /^UV_(?!PROJECT|TARGET|PREFIX|SYSTEM_PYTHON|PYTHON$|NO_BUILD|NO_BINARY|WORKING|ENV_FILE|REQUIRE_HASHES|NO_VERIFY)\w+$/;
const NPM =
  /^npm_config_(?:registry|.*:registry|.*:_\w+|@\w.*|proxy|https?_proxy|noproxy|cafile|ca|strict_ssl|cache|offline|prefer_offline|userconfig|globalconfig|fetch_\w+|maxsockets|before|min_release_age|\/\/.*)$/i;

export function installerEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const chosen = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && [ALWAYS, REACHING, PIP, UV, NPM].some((pattern) => pattern.test(entry[0])),
  );
  return Object.fromEntries(chosen);
}
