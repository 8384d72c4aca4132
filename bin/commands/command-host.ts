import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createKnownSecrets } from '#lib/contract/known-secrets.ts';
import { createHost } from '#lib/host/create-host.ts';
import type { CreateHostOptions } from '#lib/host/create-host.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { Host } from '#lib/host/host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { readConfig } from '#lib/host/read-config.ts';
import { secretsOfConfig } from '#lib/host/secret-values.ts';
import { cacheFolder, sharedEnvironments } from '#lib/host/shared-environments.ts';
import { cannotDo, CommandError, EXIT } from './command.ts';
import type { CommandContext } from './command.ts';

/** A host in the command's process: same loader and runtimes as the server, without port, pages, watching and channels. */
export interface CommandHost {
  readonly host: Host;
  /** Closes it and deletes its temporary files. */
  close(): Promise<void>;
}

/** The server's settings, but not its name among the instances. An invalid value stops the command too. */
export function readSettings(context: CommandContext, change: Readonly<Record<string, string>> = {}): HostConfig {
  const read = readConfig({ ...context.env, ...change, INSTANCE_ID: '', WATCH: 'off' }, context.cwd);
  if (!read.ok) throw cannotDo(read.reason);
  return read.config;
}

/** The server creates a missing folder; a command reports it. */
export function extensionsFolder(context: CommandContext, given: string | undefined): string {
  const named = given ?? (context.env['EXTENSIONS_DIR'] || 'extensions');
  const folder = path.resolve(context.cwd, named);
  if (!existsSync(folder)) throw cannotDo(`Folder “${named}” not found. Name the extensions folder.`);
  if (!statSync(folder).isDirectory()) throw cannotDo(`“${named}” is a file. Name the extensions folder.`);
  return folder;
}

/** Uses a data folder that exists until `close`; runtime programs stay cached for the next command. */
export async function openTemporaryHost(context: CommandContext, folder: string, installs = false): Promise<CommandHost> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-command-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  try {
    const opened = await openHost(
      context,
      readSettings(context, {
        EXTENSIONS_DIR: folder,
        DATA_DIR: dataDir,
        DATABASE_URL: '',
        ...(installs ? { EXTENSION_DEPENDENCIES: 'auto' } : {}),
      }),
      false,
      { programsDir: cacheFolder('programs'), environmentsDir: sharedEnvironments(context.env, context.cwd) },
    );
    if (installs) await opened.host.extensions.installsSettled();
    const close = async (): Promise<void> => {
      await opened.close();
      await remove();
    };
    return { host: opened.host, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @param showsLog whether warnings and errors of the host are shown */
export async function openHost(
  context: CommandContext,
  config: HostConfig,
  showsLog: boolean,
  folders: Pick<CreateHostOptions, 'programsDir' | 'environmentsDir'> = {},
): Promise<CommandHost> {
  const secrets = createKnownSecrets(secretsOfConfig(config));
  const logger = createLogger({
    write: (line) => context.note(line.trimEnd()),
    readable: true,
    level: showsLog ? 'warn' : 'error',
    secrets,
  });
  const made = await createHost(config, showsLog ? logger : { ...logger, error: () => undefined }, context.env, {
    channelsOff: true,
    prewarms: false,
    ...folders,
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
    // A host closed during the load throws any error.
    throw context.signal.aborted ? new CommandError(EXIT.cancelled, 'Interrupted before everything loaded.') : error;
  }
  return {
    host,
    close: () => {
      context.signal.removeEventListener('abort', close);
      return host.close();
    },
  };
}
