import { CORE_CHANNELS } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import type { Snapshot } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { ChannelSource, IdleState } from './channel-supervisor.ts';

/** The channels of a snapshot: what runs each, or why nothing does. One that failed to load is among them, so that it never vanishes in silence. */
export interface ChannelInSnapshot {
  readonly name: string;
  readonly about: { readonly extension: string; readonly description: string; readonly remark: string | null };
  readonly source: ChannelSource | null;
  readonly idle: IdleState;
}

const FOLDER = 'channels/';
const CORE: ReadonlySet<string> = new Set(CORE_CHANNELS);

export function channelsIn(snapshot: Snapshot<RunningExtension>): ChannelInSnapshot[] {
  return [...snapshot.entries.values()].flatMap(({ extension, running }) => {
    if (extension.kind !== 'channel') return [];
    const name = extension.id.startsWith(FOLDER) ? extension.id.slice(FOLDER.length) : extension.id;
    if (CORE.has(name)) return [];
    const about = { extension: extension.id, description: extension.description, remark: remarkOn(extension) };
    return [{ name, about, source: running === null ? null : sourceOf(extension, running), idle: idleOf(extension) }];
  });
}

function sourceOf(extension: Extension, running: RunningExtension): ChannelSource | null {
  if (running.channel === null) return null;
  return {
    functions: running.channel,
    givenUp: () =>
      running.process().state === 'crash_loop'
        ? `${extension.id} stopped too often and is not started again by itself. Mend the file, or press Restart on the page of the extension.`
        : null,
  };
}

function idleOf({ id, state, failure }: Extension): IdleState {
  switch (state) {
    case 'disabled':
      return { state: 'stopped', reason: `${id} is disabled. Enable it to use this channel.` };
    case 'excluded':
      return { state: 'stopped', reason: `${id} is excluded by EXTENSION_EXCLUDED_EXTENSIONS.` };
    case 'loading':
      return { state: 'connecting', reason: `${id} is still being loaded.` };
    case 'ready':
    case 'degraded':
    case 'failed':
      return { state: 'failed', reason: failure === null ? `${id} does not run.` : `${id} failed to load: ${failure.message}` };
  }
}

function remarkOn({ state, failure, revision, serving_revision }: Extension): string | null {
  if (state !== 'degraded' || failure === null) return null;
  return `Revision ${revision ?? '?'} failed to load, and revision ${serving_revision ?? '?'} goes on: ${failure.message}`;
}
