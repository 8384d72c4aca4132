import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Candidate, createBuilders } from '#lib/loader/build.ts';
import { createBuilder } from '#lib/loader/builder.ts';
import { describerOf } from '#lib/loader/describe-extension.ts';
import { createPythonBuilder } from '#lib/loader/python-builder.ts';
import { inPython } from '#lib/loader/python-messages.ts';
import { createNodeRuntime } from '#lib/runtime/node-runtime.ts';
import { createPythonRuntime } from '#lib/runtime/python-runtime.ts';
import type { ChannelMessage, RunningChannel, RunningExtension } from '#lib/runtime/runtime.ts';
import { PROGRAMS_DIR } from './shared-programs.ts';

/** One channel of a file, built, described and run as by a host, without a channel loop: the test calls it. */
export interface OpenChannel {
  readonly extension: RunningExtension;
  readonly channel: RunningChannel;
  /** The next result of `recv`; fails the test if it is not a message. */
  receive(): Promise<ChannelMessage>;
  /** Fails the test if sending fails. */
  send(text: string, recipient: string, answering?: ChannelMessage): Promise<void>;
  close(): Promise<void>;
}

const AUTHOR_MODULE = fileURLToPath(new URL('../runtime/children/author-module.ts', import.meta.url));

/** @param file absolute, `…/channels/<name>.ts` or `.py` @param workspace its working directory */
export async function openChannel(
  file: string,
  workspace: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<OpenChannel> {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'channel-')));
  const isPython = extname(file) === '.py';
  const extensionsDir = dirname(dirname(file));
  const artifactsDir = join(place, 'artifacts');
  const candidate: Candidate = {
    id: `channels/${basename(file, extname(file))}`,
    kind: 'channel',
    runtime: isPython ? 'python' : 'node',
    folder: dirname(file),
    entryFile: file,
  };
  const builder = createBuilders({
    node: createBuilder({ extensionsDir, artifactsDir, authorModule: AUTHOR_MODULE }),
    python: createPythonBuilder({ extensionsDir, artifactsDir }),
  });
  const shared = {
    limits: { loadTimeoutMs: 20_000, maxResultBytes: 200_000, extensionMemoryMb: 256 },
    environmentOf: () => environment,
    workspaceRoot: workspace,
    cacheDir: PROGRAMS_DIR,
  };
  const runtime = isPython
    ? createPythonRuntime({ ...shared, python: 'python3', commonEnvironment: { PATH: process.env['PATH'] ?? '' } })
    : createNodeRuntime({ ...shared, permissionsOf: () => ['net'], nodeModulesDirs: [], programDir: artifactsDir });
  const close = async (): Promise<void> => {
    await runtime.close();
    await builder.close();
    await rm(place, { recursive: true });
  };

  const built = await builder.build(candidate);
  if (!built.ok) throw new Error(built.failure.message);
  const describe = isPython ? inPython(describerOf(candidate)) : describerOf(candidate);
  const loaded = await runtime.load(built.artifact, { signal: new AbortController().signal, describe, onIncident: () => undefined });
  if (!loaded.ok) throw new Error(`${loaded.failure.code}: ${loaded.failure.message}`);
  const { extension } = loaded;
  const { channel } = extension;
  if (channel === null) throw new Error(`${file} is no channel`);
  return {
    extension,
    channel,
    async receive() {
      const outcome = await channel.recv();
      if (!outcome.ok) throw new Error(`${outcome.reason}: ${outcome.message}`);
      return outcome.value;
    },
    async send(text, recipient, answering) {
      const message = { text, sender: 'web', channel: candidate.id.slice('channels/'.length), metadata: { recipient } };
      const outcome = await channel.send(message, answering ?? null);
      if (!outcome.ok) throw new Error(`${outcome.reason}: ${outcome.message}`);
    },
    close,
  };
}
