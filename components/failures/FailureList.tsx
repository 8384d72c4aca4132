'use client';

import { QueryState } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, RotateCcw, UserPlus, Waypoints } from 'lucide-react';
import { type ComponentProps, type MouseEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Badge, StateIcon, STATES } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { type PointerInside, NewRows, useStableRows, VisibleItems } from '#components/ui/stable-rows.tsx';
import { TransientButton } from '#components/ui/TransientButton.tsx';
import { RelativeTime, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { locationOf } from '#lib/client/failure-markdown.ts';
import { type FailureListFilter, failureQueries } from '#lib/client/failure-queries.ts';
import type { FailureGroup, GroupStatus } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { useReview } from './ReviewProvider.tsx';
import { Sparkline } from './Sparkline.tsx';
import { countInWords, ignoringInWords, regressionInWords } from './review-words.ts';

interface CauseFold {
  /** The oldest group: stable while others join. */
  readonly id: string;
  readonly first: FailureGroup;
  readonly others: readonly FailureGroup[];
}

export function foldByCause(groups: readonly FailureGroup[]): CauseFold[] {
  const folded = new Set<string>();
  const byId = new Map(groups.map((group) => [group.id, group]));
  const folds: CauseFold[] = [];
  for (const first of groups) {
    if (folded.has(first.id)) continue;
    const others = first.related.flatMap(({ id }) => {
      const other = byId.get(id);
      return other === undefined || folded.has(id) ? [] : [other];
    });
    for (const group of [first, ...others]) folded.add(group.id);
    const id = others.reduce((oldest, group) => (group.id < oldest ? group.id : oldest), first.id);
    folds.push({ id, first, others });
  }
  return folds;
}

/** The failure whose focused row disappeared, until it appears elsewhere or the focus moves. */
let gone: string | null = null;

/** Keeps the focus on a row that moves between status lists, for example after `e`, so that further keys still apply to it. */
export function useStableFocus(id: string): RefObject<HTMLAnchorElement | null> {
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    const own = link.current;
    if (gone !== null && !(document.activeElement === null || document.activeElement === document.body)) gone = null;
    if (gone === id) {
      gone = null;
      own?.focus({ preventScroll: true });
    }
    return () => {
      if (own === null || document.activeElement !== own) return;
      const other = otherLine(id, own);
      if (other === undefined) gone = id;
      else other.focus({ preventScroll: true });
    };
  }, [id]);
  return link;
}

/** Lists load one after the other, so a failure may be in two for a moment. */
function otherLine(id: string, own: HTMLElement): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(`[data-failure="${CSS.escape(id)}"] a[href]`)].find((link) => link !== own);
}

interface FailureListProps extends Omit<FailureRowProps, 'group' | 'place' | 'selected'> {
  status: GroupStatus;
  filter: Omit<FailureListFilter, 'status'>;
  selected: string | null;
  /** Shared by all lists: upper lists shift lower ones. */
  pointer: PointerInside;
  isAboveRows: boolean;
}

export function FailureList({ status, filter, selected, pointer, isAboveRows, ...row }: FailureListProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isFetching } = useInfiniteQuery(
    failureQueries.list({ ...filter, status }),
  );
  const all = useMemo(() => data?.pages.flatMap((page) => page.groups) ?? [], [data]);
  const list = JSON.stringify({ ...filter, status, isRead: data !== undefined });
  const { rows: groups, waiting, showAll } = useStableRows(all, { list, pointer, isAboveRows });
  const folds = useMemo(() => foldByCause(groups), [groups]);
  const { list: element, rows: shown } = useVisibleRows<HTMLOListElement, CauseFold>({
    name: `${status} failures`,
    items: folds,
    height: 69,
    needed: folds.find(({ first, others }) => [first, ...others].some(({ id }) => id === selected))?.id ?? null,
  });
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the failures" lines={4} inset />;
  if (groups.length === 0) return <NewRows count={waiting} onShow={showAll} />;
  return (
    <section aria-label={`${STATES[status].word} failures`} className="flex min-w-0 flex-col">
      <NewRows count={waiting} onShow={showAll} />
      <h2 className="border-b bg-panel px-4 py-2 text-sm font-semibold">
        {STATES[status].word} <span className="tabular font-normal text-muted">{hasNextPage ? `${groups.length}+` : groups.length}</span>
      </h2>
      <ol ref={element} className="flex min-w-0 flex-col divide-y border-b">
        <VisibleItems rows={shown} size={hasNextPage ? -1 : folds.length}>
          {(fold, place) =>
            fold.others.length === 0 ? (
              <FailureRow place={place} group={fold.first} selected={fold.first.id === selected} {...row} />
            ) : (
              <CauseFoldRow place={place} fold={fold} selected={selected} {...row} />
            )
          }
        </VisibleItems>
      </ol>
      {hasNextPage ? (
        <Button size="sm" pending={isFetchingNextPage} onClick={() => void fetchNextPage()} className="m-3 self-center">
          Show older failures
        </Button>
      ) : null}
    </section>
  );
}

function CauseFoldRow({
  fold,
  place,
  selected,
  ...row
}: { fold: CauseFold; selected: string | null } & Omit<FailureRowProps, 'group' | 'selected'>) {
  const review = useReview();
  const { first, others } = fold;
  const all = [first, ...others];
  const holdsSelected = others.some((group) => group.id === selected);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? holdsSelected;
  const ids = all.map((group) => group.id);
  const extensions = all.map((group) => group.extension);
  const total = first.related.length + 1;
  const { list, rows } = useVisibleRows<HTMLOListElement, FailureGroup>({
    name: `failures with the cause of ${fold.id}`,
    items: open ? all : all.slice(0, 1),
    height: 69,
    needed: selected,
  });
  return (
    <li {...place} className="flex flex-col">
      <div className="flex min-w-0 flex-wrap items-start gap-x-3 gap-y-2 bg-subtle px-4 py-2">
        <Waypoints className="h-lh w-4 shrink-0 text-failed" />
        <p className="min-w-0 flex-1 basis-56 text-sm">
          <strong className="font-semibold">
            One cause broke {total} extensions
            {first.latest.file === null || first.latest.file.startsWith(`${first.extension}/`) ? '' : ': '}
          </strong>
          {first.latest.file === null || first.latest.file.startsWith(`${first.extension}/`) ? null : (
            <span className="font-mono text-xs break-all">{locationOf(first.latest)}</span>
          )}
          <span className="block truncate text-muted" title={extensions.join(', ')}>
            {extensions.join(', ')}
          </span>
        </p>
        <span hidden={!review.isOffered} className="flex flex-wrap gap-2">
          {all.some((group) => group.status === 'open') ? (
            <Button size="sm" pending={review.isPending} onClick={() => review.change(ids, { status: 'acknowledged' })}>
              Acknowledge all
            </Button>
          ) : null}
          <Button size="sm" onClick={() => review.assignToMe(ids)}>
            Assign all to me
          </Button>
        </span>
      </div>
      <ol ref={list} className="flex flex-col divide-y">
        <VisibleItems rows={rows} size={open ? all.length : 1}>
          {(group, place) => <FailureRow place={place} group={group} selected={group.id === selected} {...row} />}
        </VisibleItems>
      </ol>
      <Button
        size="sm"
        variant="quiet"
        aria-expanded={open}
        icon={open ? <ChevronDown /> : <ChevronRight />}
        onClick={() => setChosen(!open)}
        className="mb-1 ml-8 self-start text-muted"
      >
        {open ? 'Hide' : 'Show'} {others.length} more with this cause
      </Button>
    </li>
  );
}

interface FailureRowProps {
  place: ComponentProps<'li'>;
  group: FailureGroup;
  selected: boolean;
  onOpen: (id: string) => boolean;
  onFocus: (id: string) => void;
}

function FailureRow({ place, group, selected, onOpen, onFocus }: FailureRowProps) {
  const regression = regressionInWords(group);
  const { clock } = useTimeZone();
  const link = useStableFocus(group.id);

  /** Enter arrives as a click without a pointer and opens the page. */
  function open(event: MouseEvent) {
    if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    if (onOpen(group.id)) event.preventDefault();
  }

  return (
    <li
      {...place}
      data-failure={group.id}
      data-selected={selected}
      tabIndex={-1}
      className={cx(
        'focus-inset relative flex min-w-0 flex-col gap-1 px-4 py-2 hover:bg-hover',
        selected && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <div className="flex min-w-0 items-start gap-2">
        <span className="mt-1 shrink-0">
          <StateIcon state={group.status} className="size-3.5" />
          <span className="sr-only">{STATES[group.status].word}</span>
        </span>
        <ListLink
          ref={link}
          href={PAGES.failure(group.id)}
          onClick={open}
          onFocus={() => onFocus(group.id)}
          aria-current={selected ? 'true' : undefined}
          className="line-clamp-2 min-w-0 flex-1 rounded-sm font-medium break-words row-link"
        >
          <CodeText text={group.title} />
        </ListLink>
        <span className="tabular shrink-0 text-sm text-muted">
          <RelativeTime time={group.last_seen} />
        </span>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 pl-5.5 text-sm text-muted">
        {regression === null ? null : (
          <Badge tone="failed" icon={<RotateCcw />}>
            <span className="whitespace-normal">Regression: {regression}</span>
          </Badge>
        )}
        <span className="min-w-0 truncate font-mono text-xs text-fg">{locationOf(group.latest) ?? group.extension}</span>
        <span className="min-w-0 truncate">{group.extension}</span>
        {group.status === 'ignored' ? <span>{ignoringInWords(group.ignore_until, clock)}</span> : null}
        {group.status === 'resolved' && group.resolved_by !== null && group.resolved_by.revision !== null ? (
          <span>fixed in revision {group.resolved_by.revision}</span>
        ) : null}
        <span className="ml-auto flex items-center gap-3">
          <Sparkline trend={group.trend} />
          <span className="tabular" title={countInWords(group.count)}>
            {inThousands(group.count)}×
          </span>
          <Assignee group={group} />
        </span>
      </div>
    </li>
  );
}

function Assignee({ group }: { group: FailureGroup }) {
  const review = useReview();
  if (group.assignee !== null) {
    const isOff = group.assignee_member?.active === false;
    return (
      <span className="flex max-w-40 min-w-0 gap-1">
        <span className={cx('truncate', isOff ? 'text-muted' : 'text-fg')} title={`${group.assignee} is assigned`}>
          {group.assignee}
        </span>
        {isOff ? <span className="shrink-0 text-degraded">(deactivated)</span> : null}
      </span>
    );
  }
  if (!review.isOffered) return null;
  return (
    <TransientButton
      focusFallback="[data-failure]"
      size="sm"
      variant="quiet"
      icon={<UserPlus />}
      aria-label={`Assign to me: ${group.title}`}
      onClick={() => review.assignToMe([group.id])}
      className="relative z-10 -my-1 -mr-2.5 text-muted"
    >
      Assign to me
    </TransientButton>
  );
}
