import type { Host } from '#lib/host/host.ts';
import { listPrompts } from './prompts.ts';
import { listResources } from './resources.ts';
import type { Notices } from './notices.ts';
import type { Catalogues } from './tool-catalogue.ts';

/**
 * Tells of another list only when it is another: most events change no tool. Many changes in one turn are told as one.
 */
export interface ChangeNotices {
  /** Somebody begins to listen: what is shown now is what the next change is held against. */
  begin(): void;
  tellSoon(): void;
}

interface Shown {
  readonly tools: Uint8Array;
  readonly resources: string;
  readonly prompts: string;
}

export function createChangeNotices(host: Host, catalogues: Catalogues, notices: Notices): ChangeNotices {
  let before: Shown | null = null;
  let isPlanned = false;

  const shown = (): Shown => ({
    tools: catalogues.whole().modernTools.json,
    resources: listResources(host)
      .map(({ uri }) => uri)
      .join(),
    prompts: JSON.stringify(listPrompts(host)),
  });

  return {
    begin() {
      before ??= shown();
    },
    tellSoon() {
      if (isPlanned || before === null) return;
      isPlanned = true;
      setImmediate(() => {
        isPlanned = false;
        const told = before;
        before = notices.hasListeners() ? shown() : null;
        if (told === null || before === null) return;
        if (Buffer.compare(told.tools, before.tools) !== 0) notices.listChanged('tools');
        if (told.prompts !== before.prompts) notices.listChanged('prompts');
        if (told.resources !== before.resources) notices.listChanged('resources');
      });
    },
  };
}
