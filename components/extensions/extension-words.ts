import type { Extension } from '#lib/contract/extension.ts';
import { relativeInWords } from '#components/ui/times.ts';

/** What runs, in words: "serving 3 · 4 failed 2 min ago". Numbers are revisions. */
export function stateInWords(extension: Extension, now: number): string {
  const { state, revision, serving_revision: serving, pinned_revision: pinned, failure, process } = extension;
  const failed = failure === null ? null : failedInWords(extension, now);
  switch (state) {
    case 'ready':
      return [servingInWords(serving, pinned), otherContentInWords(serving, revision), retryInWords(process.retry_at, now)]
        .filter(isText)
        .join(' · ');
    case 'degraded':
      return [servingInWords(serving, pinned), failed, retryInWords(process.retry_at, now)].filter(isText).join(' · ');
    case 'failed':
      return serving === null
        ? `${startsWithNumber(failed) ? 'revision ' : ''}${failed ?? 'failed'} · nothing serves`
        : `${servingInWords(serving, pinned)} · ${failed ?? 'failed'}`;
    case 'loading':
      return serving === null ? 'being loaded' : `${servingInWords(serving, pinned)} · a newer one is being loaded`;
    case 'disabled':
      return extension.disabled_by === 'file' ? 'switched off by its file' : 'switched off by hand';
    case 'excluded':
      return 'left out by the settings';
  }
}

/** The moment that these words name. */
export function momentOfState({ state, process, failure }: Extension): string | null {
  if (state === 'disabled' || state === 'excluded' || state === 'loading') return null;
  return process.retry_at ?? (state === 'ready' ? null : (failure?.last_seen ?? null));
}

function servingInWords(serving: number | null, pinned: number | null): string {
  if (serving === null) return 'nothing serves';
  return pinned === serving ? `serving ${serving}, pinned` : `serving ${serving}`;
}

/** Numbers do not tell which is newer on the disk: content that was there before keeps the number that it had. */
export function otherContentInWords(serving: number | null, revision: number | null): string | null {
  if (serving === null || revision === null || revision === serving) return null;
  return revision > serving ? `${revision} is newer` : `the files hold ${revision}`;
}

function failedInWords(extension: Extension, now: number): string {
  const { failure } = extension;
  if (failure === null) return 'failed';
  const what = failure.stage === 'run' ? 'stopped' : failure.revision === null ? 'failed' : `${failure.revision} failed`;
  return `${what} ${relativeInWords(Date.parse(failure.last_seen), now)}`;
}

function retryInWords(retryAt: string | null, now: number): string | null {
  return retryAt === null ? null : `starts again ${relativeInWords(Date.parse(retryAt), now)}`;
}

function startsWithNumber(words: string | null): boolean {
  return words !== null && /^\d/.test(words);
}

function isText(part: string | null): part is string {
  return part !== null;
}

const KINDS: Record<Extension['kind'], string> = { tools: 'Tools', tool: 'One tool', channel: 'Channel', mcp: 'MCP server' };
const RUNTIMES: Record<Extension['runtime'], string> = { node: 'Node', python: 'Python', mcp: 'MCP' };

export function kindInWords(kind: Extension['kind']): string {
  return KINDS[kind];
}

/** "Tools, Node"; an MCP server is only that. */
export function kindAndRuntimeInWords(extension: Extension): string {
  return extension.kind === 'mcp' ? KINDS.mcp : `${KINDS[extension.kind]}, ${RUNTIMES[extension.runtime]}`;
}
