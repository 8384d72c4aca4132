'use client';

import { EmptyState, QueryState, ShowOlder } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, RefreshCw, ScrollText } from 'lucide-react';
import { type inferParserType, parseAsIsoDateTime, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useId } from 'react';
import { ActiveFilter, ExportMenu, FilterRows, FilterSearch, FilterSelect } from '#components/ui/FilterRows.tsx';
import { Button } from '#components/ui/Button.tsx';
import { Select } from '#components/ui/Field.tsx';
import { StateChips } from '#components/ui/FilterChips.tsx';
import { Facts, PageHead } from '#components/ui/Panel.tsx';
import { ExactTime, RelativeTime, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { StateIcon, STATES } from '#components/ui/Badge.tsx';
import { minuteOf } from '#components/ui/times.ts';
import { type AuditFilter, accountQueries, auditSearch } from '#lib/client/account-queries.ts';
import type { AuditDetail, AuditEntry } from '#lib/contract/audit.ts';
import { AUDIT_OUTCOMES, AUDIT_SEARCH_MOST, type AuditActorKind, auditWords } from '#lib/contract/audit-events.ts';
import { API } from '#lib/contract/paths.ts';

function capitalized(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function whatInWords(action: string): string {
  return capitalized(auditWords(action));
}

const ACTOR_WORDS: Readonly<Record<AuditActorKind, string>> = {
  member: 'Member',
  token: 'Token',
  key: 'Server admin token',
  stranger: 'Not signed in',
  channel: 'Channel user',
  server: 'The server itself',
};

export function detailFacts(detail: AuditDetail): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(detail).map(([name, value]) => ({
    name: capitalized(name.replaceAll('_', ' ')),
    value: value === null ? '–' : String(value),
  }));
}

const AUDIT_PARSERS = {
  q: parseAsString,
  actor: parseAsString,
  action: parseAsString,
  outcome: parseAsStringLiteral(AUDIT_OUTCOMES),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  entry: parseAsString,
};

type AuditValues = Omit<inferParserType<typeof AUDIT_PARSERS>, 'entry'>;

export function auditFilterOf({ q, actor, action, outcome, from, to }: AuditValues): AuditFilter {
  return {
    q: q?.trim() || undefined,
    actor: actor || undefined,
    action: action || undefined,
    outcome: outcome ?? undefined,
    from: from?.toISOString(),
    to: to?.toISOString(),
  };
}

const AUDIT_SUBJECTS = [
  ['session', 'Signing in and out'],
  ['sessions', 'Ending sessions'],
  ['team', 'First admin, recovery'],
  ['invitations', 'Invitations'],
  ['members', 'Members and roles'],
  ['profile', 'Names and passwords'],
  ['tokens', 'Tokens'],
  ['extensions', 'Extensions: reload, restart, edit, pin'],
  ['tools', 'Calls of tools that change data'],
  ['saved_calls', 'Saved calls'],
  ['channels', 'Channels'],
  ['checks', 'Required checks'],
] as const;

const MINUTE_MS = 60_000;
const AUDIT_SPANS = [
  { words: 'Last hour', ms: 60 * MINUTE_MS },
  { words: 'Last 24 hours', ms: 24 * 60 * MINUTE_MS },
  { words: 'Last 7 days', ms: 7 * 24 * 60 * MINUTE_MS },
  { words: 'Last 30 days', ms: 30 * 24 * 60 * MINUTE_MS },
] as const;

export function AuditView() {
  const [{ entry: open, ...values }, setValues] = useQueryStates(AUDIT_PARSERS, { history: 'replace' });
  const filter = auditFilterOf(values);
  const read = useInfiniteQuery(accountQueries.audit(filter));
  const { data } = read;
  const change = (next: Partial<AuditValues>) => void setValues({ ...next, entry: null });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const isFiltered = auditSearch(filter) !== '';
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Audit"
        note="Sign-ins and changes. Entries cannot be changed or deleted."
        actions={
          <>
            <Button
              icon={<RefreshCw />}
              pending={read.isFetching && !read.isFetchingNextPage && !read.isPending}
              onClick={() => void read.refetch()}
            >
              Refresh
            </Button>
            <ExportMenu what="entries" address={(format) => exportAddress(filter, format)} />
          </>
        }
      />
      <AuditFilters values={values} onChange={change} />
      <section aria-label="Entries" className="min-w-0 rounded border bg-panel">
        {data === undefined ? (
          <QueryState query={read} what="the entries" lines={8} inset />
        ) : entries.length === 0 ? (
          <EmptyState
            title={isFiltered ? 'No matching entries' : 'No entries yet'}
            icon={<ScrollText />}
            actions={isFiltered ? <Button onClick={() => void setValues(null)}>Show all entries</Button> : undefined}
          >
            {isFiltered
              ? 'Remove a filter or widen the time range.'
              : 'Sign-ins, role changes, tokens, reloads, edits and deletions appear here with actor and address.'}
          </EmptyState>
        ) : (
          <>
            <ol aria-label="Entries, newest first" className="divide-y">
              {entries.map((entry) => (
                <AuditRow
                  key={entry.id}
                  entry={entry}
                  isOpen={entry.id === open}
                  onToggle={() => void setValues({ entry: entry.id === open ? null : entry.id })}
                  onFilter={change}
                />
              ))}
            </ol>
            {read.hasNextPage ? (
              <ShowOlder query={read} what="entries" />
            ) : (
              <p role="status" className="border-t px-4 py-3 text-center text-sm text-muted">
                {entries.length} {entries.length === 1 ? 'entry' : 'entries'} in total
              </p>
            )}
          </>
        )}
      </section>
    </div>
  );
}

function exportAddress(filter: AuditFilter, format: string): string {
  return `${API.exportAudit}?${new URLSearchParams([...new URLSearchParams(auditSearch(filter)), ['format', format]])}`;
}

function AuditFilters({ values, onChange }: { values: AuditValues; onChange: (change: Partial<AuditValues>) => void }) {
  const { data } = useQuery(accountQueries.members());
  const { clock } = useTimeZone();
  const isSubject = AUDIT_SUBJECTS.some(([subject]) => subject === values.action);
  return (
    <FilterRows
      parsers={AUDIT_PARSERS}
      fields={
        <>
          <FilterSearch label="Search audit log" placeholder="Name, target, address, detail" max={AUDIT_SEARCH_MOST} />
          <FilterSelect
            label="Actor"
            every="All actors"
            value={values.actor}
            names={(data?.members ?? []).map((member) => member.name)}
            onChange={(actor) => onChange({ actor })}
          />
          <Select
            aria-label="Category"
            className="w-56 max-sm:w-[calc(50%-0.25rem)]"
            options={[['', 'All categories'], ...AUDIT_SUBJECTS]}
            value={AUDIT_SUBJECTS.find(([subject]) => subject === values.action)?.[0] ?? ''}
            onChange={(action) => onChange({ action: action || null })}
          />
          <Select
            aria-label="Time range"
            className="w-40 max-sm:w-full"
            options={[
              ...(values.from === null
                ? ([['', 'Any time']] as const)
                : ([
                    ['', 'Other time…'],
                    ['any', 'Any time'],
                  ] as const)),
              ...AUDIT_SPANS.map(({ words }) => [words, words] as const),
            ]}
            value=""
            onChange={(chosen) => {
              const span = AUDIT_SPANS.find(({ words }) => words === chosen);
              onChange({ from: span === undefined ? null : new Date(Date.now() - span.ms), to: null });
            }}
          />
        </>
      }
      chips={
        <>
          <StateChips label="Outcome" states={AUDIT_OUTCOMES} value={values.outcome} onChange={(outcome) => onChange({ outcome })} />
          {values.action === null || isSubject ? null : (
            <ActiveFilter name="Action" value={whatInWords(values.action)} onRemove={() => onChange({ action: null })} />
          )}
          {values.from === null ? null : (
            <ActiveFilter name="Since" value={minuteOf(values.from.toISOString(), clock)} onRemove={() => onChange({ from: null })} />
          )}
          {values.to === null ? null : (
            <ActiveFilter name="Until" value={minuteOf(values.to.toISOString(), clock)} onRemove={() => onChange({ to: null })} />
          )}
        </>
      }
    />
  );
}

interface AuditRowProps {
  entry: AuditEntry;
  isOpen: boolean;
  onToggle: () => void;
  onFilter: (change: Partial<AuditValues>) => void;
}

function AuditRow({ entry, isOpen, onToggle, onFilter }: AuditRowProps) {
  const id = useId();
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
        className={cx('focus-inset flex w-full min-w-0 items-start gap-2 px-3 py-2 text-left text-sm hover:bg-hover', isOpen && 'bg-hover')}
      >
        <Arrow className="h-lh w-4 shrink-0 text-muted" />
        <span className="grid min-w-0 flex-1 gap-x-4 gap-y-1 md:grid-cols-[7rem_minmax(0,11rem)_minmax(0,1fr)_6rem]">
          <RelativeTime time={entry.at} className="tabular text-muted max-md:hidden" />
          <bdi className="min-w-0 truncate font-medium" title={entry.actor.name}>
            {entry.actor.name}
          </bdi>
          <span className="min-w-0 md:truncate">
            {whatInWords(entry.action)}
            {entry.target === null ? null : (
              <>
                : <bdi className="font-medium break-words">{entry.target}</bdi>
              </>
            )}
          </span>
          <span className="flex items-center gap-2">
            <StateIcon state={entry.outcome} className="size-3.5" />
            {STATES[entry.outcome].word}
            <RelativeTime time={entry.at} className="tabular ml-2 text-muted md:hidden" />
          </span>
        </span>
      </button>
      {isOpen ? (
        <div id={id} className="flex flex-col gap-3 border-t bg-subtle px-4 py-3 md:pl-9">
          <Facts
            items={[
              { name: 'Time', value: <ExactTime time={entry.at} /> },
              { name: 'Actor', value: `${entry.actor.name} (${ACTOR_WORDS[entry.actor.kind].toLowerCase()})` },
              { name: 'Action', value: <code className="text-xs">{entry.action}</code> },
              { name: 'Target', value: entry.target ?? 'server' },
              { name: 'Address', value: entry.address ?? 'the server itself' },
              ...detailFacts(entry.detail),
            ]}
          />
          <div className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => onFilter({ actor: entry.actor.name })}>
              Only by {entry.actor.name}
            </Button>
            <Button size="sm" onClick={() => onFilter({ action: entry.action })}>
              Only “{whatInWords(entry.action)}”
            </Button>
          </div>
        </div>
      ) : null}
    </li>
  );
}
