import type { Extension, ExtensionState } from '#lib/contract/extension.ts';

/** One of tools in TypeScript, of which the first revision serves. */
export function extensionSample(id: string, state: ExtensionState = 'ready', more: Partial<Extension> = {}): Extension {
  return {
    id,
    kind: 'tools',
    runtime: 'node',
    state,
    revision: 1,
    serving_revision: 1,
    pinned_revision: null,
    content_hash: null,
    path: `${id}/extension.ts`,
    name: id,
    description: '',
    instructions: '',
    tools: [],
    channels: [],
    failure: null,
    warnings: [],
    loaded_at: null,
    permissions: [],
    process: { state: 'none', pid: null, restarts: 0, retry_at: null, kept: null },
    ...more,
  };
}
