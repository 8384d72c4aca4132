import { constants, existsSync, statSync } from 'node:fs';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createKnownSecrets } from '#lib/contract/known-secrets.ts';
import { createHost } from '#lib/host/create-host.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { Host } from '#lib/host/host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { readConfig } from '#lib/host/read-config.ts';
import { secretsOfConfig } from '#lib/host/secret-values.ts';
import { cannotDo, CommandError, EXIT } from './command.ts';
import type { CommandContext } from './command.ts';

/** A host in the process of a command: the same loader, runtimes and rules as the server's, without port, pages, watching and channels at work. */
export interface LoneHost {
  readonly host: Host;
  /** Ends it, and removes what was made for it alone. */
  close(): Promise<void>;
}

/** Settings as the server reads them. A value that would stop the server stops the command. */
export function readSettings(context: CommandContext, change: Readonly<Record<string, string>> = {}): HostConfig {
  const read = readConfig({ ...context.env, ...change, WATCH: 'off' }, context.cwd);
  if (!read.ok) throw cannotDo(read.reason);
  return read.config;
}

/** The folder as it was asked for; the server would make a missing one, a command takes it for a mistake. */
export function extensionsFolder(context: CommandContext, given: string | undefined): string {
  const named = given ?? (context.env['EXTENSIONS_DIR'] || 'extensions');
  const folder = path.resolve(context.cwd, named);
  if (!existsSync(folder)) throw cannotDo(`There is no folder “${named}”. Name the one that holds the extensions.`);
  if (!statSync(folder).isDirectory()) throw cannotDo(`“${named}” is a file. Name the folder that holds the extensions.`);
  return folder;
}

/** Beside what else is made of this program and kept. */
const PROGRAMS = path.resolve(import.meta.dirname, '../../.cache/programs');

/** Loads everything into a data folder that exists only until `close`; the programs of its processes are kept for the next command. */
export async function openPassingHost(context: CommandContext, folder: string): Promise<LoneHost> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-command-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  try {
    const lone = await openHost(context, readSettings(context, { EXTENSIONS_DIR: folder, DATA_DIR: dataDir }), false, await keptPrograms());
    const close = async (): Promise<void> => {
      await lone.close();
      await remove();
    };
    return { host: lone.host, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Undefined where nothing can be written beside this program: then they are made for one command alone. */
async function keptPrograms(): Promise<string | undefined> {
  try {
    await mkdir(PROGRAMS, { recursive: true });
    await access(PROGRAMS, constants.W_OK | constants.X_OK);
    return PROGRAMS;
  } catch {
    return undefined;
  }
}

/** @param tells whether what the host logs as a warning or worse is shown */
export async function openHost(context: CommandContext, config: HostConfig, tells: boolean, programsDir?: string): Promise<LoneHost> {
  const secrets = createKnownSecrets(secretsOfConfig(config));
  const logger = createLogger({
    write: (line) => context.note(line.trimEnd()),
    readable: true,
    level: tells ? 'warn' : 'error',
    secrets,
  });
  const made = await createHost(config, tells ? logger : { ...logger, error: () => undefined }, context.env, {
    channelsOff: true,
    programsDir,
    secrets,
  });
  if (!made.ok) throw cannotDo(made.reason);
  const { host } = made;
  const close = (): void => void host.close();
  context.signal.addEventListener('abort', close, { once: true });
  try {
    await host.ready;
    context.signal.throwIfAborted();
  } catch (error) {
    await host.close();
    // A host that is closed while it loads fails in whatever it was doing.
    throw context.signal.aborted ? new CommandError(EXIT.cancelled, 'It was ended before everything had loaded.') : error;
  }
  return {
    host,
    close: () => {
      context.signal.removeEventListener('abort', close);
      return host.close();
    },
  };
}
