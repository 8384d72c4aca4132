import { setTimeout as wait } from 'node:timers/promises';
import type { DependencyInstall } from '#lib/contract/dependencies.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { createLimiter } from '#lib/loader/load-batch.ts';
import type { Declaration } from './declaration.ts';
import type { EnvironmentFolder, PendingInstall } from './environment-folder.ts';
import type { InstallFailure } from './explain-install.ts';
import { type InstallerSettings, makeEnvironment } from './make-environment.ts';

/**
 * Installs in the background: a few at a time, and one per set of dependencies, even across servers that share the folder.
 *
 * What can go wrong: an install fails (its failure stays until someone retries; there is no retry loop); another server installs the
 * same set (this one waits and uses the result); the host closes (installs are cancelled).
 */
export interface Installs {
  get(key: string): Install | undefined;
  isActive(key: string): boolean;
  /** @param lock exact versions to install; null: they are resolved */
  begin(key: string, declaration: Declaration, by: Asker, lock: string | null): void;
  /** Settles when it has ended and the extensions that needed it are loaded. False: none is active. */
  cancel(key: string): Promise<boolean>;
  /** Forgets ended installs of these sets. */
  forget(isMeant: (key: string) => boolean): void;
  /** Settles when no install runs and the extensions that needed one are loaded. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface Install {
  readonly view: DependencyInstall;
  /** The last lines of output. */
  readonly newest: readonly string[];
}

/** Who started an install. */
export interface Asker {
  readonly automatic: boolean;
  readonly actor: string | null;
}

export interface InstallsOptions {
  readonly environments: EnvironmentFolder;
  readonly settings: InstallerSettings;
  platformOf(declaration: Declaration): Promise<readonly string[]>;
  hideSecrets(text: string): string;
  /** An install of this set started, wrote output, or ended. */
  changed(key: string, state: DependencyInstall['state']): void;
  ended(key: string, install: Pick<Job, 'declaration' | 'state' | 'failure'>): void;
  /** Loads the extensions that need this set. */
  load(key: string, by: Asker): Promise<void>;
}

interface Job {
  readonly key: string;
  readonly declaration: Declaration;
  readonly controller: AbortController;
  readonly by: Asker;
  readonly startedAt: string;
  readonly lines: string[];
  isTruncated: boolean;
  state: DependencyInstall['state'];
  endedAt: string | null;
  failure: InstallFailure | null;
  done: Promise<void>;
}

const AT_ONCE = 2;
const LINES_MOST = 500;
const LINES_IN_FAILURE = 20;
const JOBS_KEPT = 100;
const ANNOUNCE_MS = 250;
const LOCK_CHECK_MS = 500;

export function createInstalls(options: InstallsOptions): Installs {
  const { environments } = options;
  /** By the key of their declaration, oldest first. */
  const jobs = new Map<string, Job>();
  const within = createLimiter(AT_ONCE);
  const installs = new Set<Promise<void>>();
  /** Installs and the loads that follow them. */
  const underWay = new Set<Promise<void>>();
  let isClosed = false;

  function begin(key: string, declaration: Declaration, by: Asker, lock: string | null): void {
    if (isClosed) return;
    const job: Job = {
      key,
      declaration,
      controller: new AbortController(),
      by,
      startedAt: new Date().toISOString(),
      lines: [],
      isTruncated: false,
      state: 'waiting',
      endedAt: null,
      failure: null,
      done: Promise.resolve(),
    };
    jobs.delete(key);
    jobs.set(key, job);
    for (const [old, ended] of jobs) if (jobs.size > JOBS_KEPT && !isActive(ended)) jobs.delete(old);
    const done = within(() => run(job, lock), job.controller.signal).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      end(job, 'failed', {
        message: `The install could not run: ${reason}.`,
        hint: 'Check the disk space and the permissions of the server in DATA_DIR.',
      });
    });
    job.done = done.then(() => (isClosed ? undefined : options.load(key, by)));
    installs.add(done);
    underWay.add(job.done);
    void done.finally(() => installs.delete(done));
    void job.done.finally(() => underWay.delete(job.done));
  }

  async function run(job: Job, lock: string | null): Promise<void> {
    if (job.controller.signal.aborted) return end(job, 'cancelled', null);
    job.state = 'running';
    options.changed(job.key, job.state);
    const wasThere = (await environments.ready(job.key)) !== null;
    const making = await lockSet(job);
    try {
      if (making === null) end(job, 'cancelled', null);
      else if (!wasThere && (await environments.ready(job.key)) !== null) end(job, 'succeeded', null);
      else await make(job, making.folder, lock);
    } finally {
      await making?.end();
    }
  }

  /** Waits while another server installs this set. Null: cancelled meanwhile. */
  async function lockSet({ key, controller, lines }: Job): Promise<PendingInstall | null> {
    const { signal } = controller;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const making = await environments.begin(key);
      if (making !== null) return making;
      if (isFirst) lines.push('Another server installs these packages. Waiting for it.');
      await wait(LOCK_CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  async function make(job: Job, folder: string, lock: string | null): Promise<void> {
    const announce = createThrottle(() => options.changed(job.key, job.state));
    const made = await makeEnvironment({
      declaration: job.declaration,
      lock,
      folder,
      settings: options.settings,
      signal: job.controller.signal,
      limits: { ms: LIMITS.installMs, bytes: LIMITS.environmentBytes },
      onLine(line) {
        job.lines.push(options.hideSecrets(line));
        if (job.lines.length > LINES_MOST) job.isTruncated = job.lines.shift() !== undefined;
        announce();
      },
    });
    if (!made.ok) return end(job, made.isCancelled ? 'cancelled' : 'failed', made.isCancelled ? null : made);
    await environments.publish(folder, job.key, made.value, await options.platformOf(job.declaration));
    end(job, 'succeeded', null);
  }

  function end(job: Job, state: 'succeeded' | 'failed' | 'cancelled', failure: InstallFailure | null): void {
    job.state = state;
    job.failure = failure === null ? null : { message: failure.message, hint: failure.hint };
    job.endedAt = new Date().toISOString();
    options.ended(job.key, job);
    options.changed(job.key, state);
  }

  return {
    get(key) {
      const job = jobs.get(key);
      return job === undefined ? undefined : { view: viewOf(job), newest: job.lines.slice(-LINES_IN_FAILURE) };
    },
    isActive: (key) => isActive(jobs.get(key)),
    begin,
    async cancel(key) {
      const job = jobs.get(key);
      if (job === undefined || !isActive(job)) return false;
      job.controller.abort();
      await job.done;
      return true;
    },
    forget(isMeant) {
      for (const [key, job] of jobs) if (!isActive(job) && isMeant(key)) jobs.delete(key);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async close() {
      isClosed = true;
      for (const { controller } of jobs.values()) controller.abort();
      await Promise.all(installs);
    },
  };
}

function isActive(job: Job | undefined): boolean {
  return job?.state === 'waiting' || job?.state === 'running';
}

function viewOf(job: Job): DependencyInstall {
  return {
    state: job.state,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    ...job.by,
    output: [...job.lines],
    output_truncated: job.isTruncated,
    failure: job.failure,
  };
}

/** Immediately, then at most every `ANNOUNCE_MS`. */
function createThrottle(run: () => void): () => void {
  let next = 0;
  return () => {
    const now = performance.now();
    if (now < next) return;
    next = now + ANNOUNCE_MS;
    run();
  };
}
