import type { Extension } from '#lib/contract/extension.ts';
import type { InstanceExtension, SharedStore } from '#lib/store/instance-store.ts';

/**
 * Reports the state of each extension on this server to the others, and which extensions only they serve. Only changes are written; changes that the database
 * rejects are written with the next one or a second later. When the id of this server changes, all are written again.
 */
export interface ExtensionStates {
  /** Extensions that others serve and this server does not; a few seconds old at most. */
  lacking(): readonly string[];
  /** State of one extension on each other server that is alive. */
  ofOthers(extension: string): Promise<readonly (InstanceExtension & { readonly instance: string })[]>;
  close(): Promise<void>;
}

export interface ExtensionStatesOptions {
  readonly shared: Pick<SharedStore, 'instances'>;
  readonly server: { id(): string; others(): readonly string[] };
  current(): Iterable<Extension>;
  /** Subscribes to changes of the snapshot of this server. */
  follow(listener: () => void): void;
  /** Others began to serve these extensions, which this server does not serve. */
  onLacking(extensions: readonly string[]): void;
}

const WAIT_MS = 50;
const AGAIN_MS = 1_000;
const LOOK_MS = 2_000;

export function createExtensionStates({ shared, server, current, follow, onLacking }: ExtensionStatesOptions): ExtensionStates {
  const { instances } = shared;
  const { id: instance, others } = server;
  let written = new Map<string, string>();
  let writtenAs = '';
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let lacking: readonly string[] = [];
  let isClosed = false;

  const looking = setInterval(() => {
    if (others().length === 0) lacking = [];
    else
      instances.servedOnlyElsewhere(instance()).then(
        (found) => {
          const added = found.filter((extension) => !lacking.includes(extension));
          lacking = found;
          if (added.length > 0 && !isClosed) onLacking(added);
        },
        // `lacking` then returns the previous result.
        () => undefined,
      );
  }, LOOK_MS).unref();

  function plan(ms: number): void {
    if (!isClosed)
      timer ??= setTimeout(() => {
        // Sequentially, so that an earlier write does not replace a later one.
        writing = writing.then(write);
      }, ms).unref();
  }

  async function write(): Promise<void> {
    timer = null;
    const id = instance();
    if (id !== writtenAs) written = new Map();
    const now = new Map([...current()].map((extension) => [extension.id, stateOf(extension)]));
    const changes = [...now].filter(([extension, state]) => written.get(extension) !== JSON.stringify(state));
    const gone = [...written.keys()].filter((extension) => !now.has(extension));
    if (changes.length === 0 && gone.length === 0) return;
    try {
      await instances.putExtensions(
        id,
        changes.map(([, state]) => state),
        gone,
      );
      writtenAs = id;
      for (const [extension, state] of changes) written.set(extension, JSON.stringify(state));
      for (const extension of gone) written.delete(extension);
    } catch {
      plan(AGAIN_MS);
    }
  }

  follow(() => plan(WAIT_MS));
  return {
    lacking: () => lacking,
    async ofOthers(extension) {
      const alive = new Set(others());
      return (await instances.extensionStates(extension)).filter((state) => alive.has(state.instance));
    },
    async close() {
      isClosed = true;
      clearInterval(looking);
      if (timer !== null) clearTimeout(timer);
      await writing;
    },
  };
}

function stateOf({ id, state, serving_revision, failure }: Extension): InstanceExtension {
  return { extension: id, state, servingRevision: serving_revision, failure };
}
