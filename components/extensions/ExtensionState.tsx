'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { TimeText, useClockText } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { relativeInWords } from '#components/ui/times.ts';
import { sortByName } from '#components/ui/name-order.ts';
import type { Extension, ExtensionKind, ExtensionState, StartProgress } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function StateSentence({ extension, className }: { extension: Extension; className?: string }) {
  const words = useClockText((now) => stateInWords(extension, now));
  const moment = momentOfState(extension);
  const style = cx('tabular text-muted', className);
  return moment === null ? (
    <span className={style}>{words}</span>
  ) : (
    <TimeText time={moment} className={style}>
      {words}
    </TimeText>
  );
}

interface CallCountsProps {
  readonly extension: string;
  readonly since: string;
  readonly calls: number;
  /** Timeouts included. */
  readonly failed: number;
  readonly className: string;
}

const FAILED = 'failed,timed_out';

export function CallCounts({ extension, since, calls, failed, className }: CallCountsProps) {
  const address = (more: Readonly<Record<string, string>> = {}) => `${PAGES.calls}?${new URLSearchParams({ extension, since, ...more })}`;
  return (
    <span className="tabular">
      <ListLink href={address()} className={className}>
        {inThousands(calls)} {calls === 1 ? 'call' : 'calls'}
      </ListLink>
      {failed === 0 ? null : (
        <>
          ,{' '}
          <ListLink href={address({ status: FAILED })} className={cx(className, 'text-failed')}>
            {inThousands(failed)} failed
          </ListLink>
        </>
      )}
    </span>
  );
}

/** "serving 3 · 4 failed 2 min ago"; numbers are revisions. */
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
        ? `${startsWithNumber(failed) ? 'revision ' : ''}${failed ?? 'failed'} · not serving`
        : `${servingInWords(serving, pinned)} · ${failed ?? 'failed'}`;
    case 'loading':
      return serving === null ? 'loading' : `${servingInWords(serving, pinned)} · a newer one is loading`;
    case 'disabled':
      return extension.disabled_by === 'file' ? 'disabled by its file' : 'disabled';
    case 'excluded':
      return 'excluded by the settings';
  }
}

function momentOfState({ state, process, failure }: Extension): string | null {
  if (state === 'disabled' || state === 'excluded' || state === 'loading') return null;
  return process.retry_at ?? (state === 'ready' ? null : (failure?.last_seen ?? null));
}

function servingInWords(serving: number | null, pinned: number | null): string {
  if (serving === null) return 'not serving';
  return pinned === serving ? `serving ${serving}, pinned` : `serving ${serving}`;
}

/** Revision numbers do not show which is newer on disk: restored content keeps its number. */
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

export function kindAndRuntimeInWords(extension: Extension): string {
  return extension.kind === 'mcp' ? KINDS.mcp : `${KINDS[extension.kind]}, ${RUNTIMES[extension.runtime]}`;
}

export function progressInWords({ loaded, total }: StartProgress): string {
  return `Loading ${loaded} of ${total}…`;
}

interface ExtensionFilter {
  readonly q: string;
  readonly state: ExtensionState | null;
  readonly kind: ExtensionKind | null;
}

const ORDER: readonly ExtensionState[] = ['failed', 'degraded', 'loading', 'ready', 'disabled', 'excluded'];

/** Failed first, then running, then disabled; by name within each. */
export function sortExtensions(extensions: readonly Extension[]): readonly Extension[] {
  return sortByName(extensions, ({ id }) => id).toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

export function filterExtensions(extensions: readonly Extension[], filter: ExtensionFilter): readonly Extension[] {
  const words = filter.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return extensions.filter((extension) => {
    if (filter.state !== null && extension.state !== filter.state) return false;
    if (filter.kind !== null && extension.kind !== filter.kind) return false;
    if (words.length === 0) return true;
    const text = [extension.id, extension.name, extension.description, extension.failure?.error ?? '', ...extension.tools]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countStates(extensions: readonly Extension[]): readonly { readonly state: ExtensionState; readonly count: number }[] {
  return ORDER.map((state) => ({ state, count: extensions.filter((extension) => extension.state === state).length })).filter(
    ({ count }) => count > 0,
  );
}
