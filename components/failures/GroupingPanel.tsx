'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Select } from '#components/ui/Field.tsx';
import { Facts, Panel, Section } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { useMergeFailure, useSplitFailure } from '#lib/client/failure-mutations.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { trackLocation } from '#lib/client/pending-navigation.ts';
import type { FailureGroupDetail, GroupFingerprint } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { useReview } from './ReviewProvider.tsx';

export function GroupingPanel({ group }: { group: FailureGroupDetail }) {
  const { isOffered } = useReview();
  const [open, setOpen] = useState(false);
  const choices = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (open) choices.current?.focus({ preventScroll: true });
  }, [open]);
  return (
    <Panel title="Grouping">
      <div className="flex min-w-0 flex-col gap-4">
        {group.fingerprints.map((print) => (
          <Basis key={print.fingerprint} print={print} />
        ))}
        {open ? (
          <div ref={choices} tabIndex={-1} className="flex min-w-0 flex-col gap-4 outline-none">
            <SplitOff group={group} />
            <MergeInto group={group} />
          </div>
        ) : isOffered ? (
          <Button size="sm" onClick={() => setOpen(true)} className="self-start">
            Split or merge…
          </Button>
        ) : null}
      </div>
    </Panel>
  );
}

function Basis({ print }: { print: GroupFingerprint }) {
  const { basis } = print;
  const how =
    print.merged_from !== null
      ? 'Merged by hand.'
      : print.exact
        ? 'Split off by hand: the same message, word by word.'
        : basis === null
          ? 'No reason recorded. The next occurrence records it.'
          : 'Occurrences share:';
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm">
      <p>{how}</p>
      {basis === null ? null : (
        <Facts
          items={[
            { name: 'Extension', value: basis.extension },
            { name: 'Stage, code', value: `${basis.stage}, ${basis.code}` },
            { name: 'Own frame', value: basis.frame === null ? 'none' : <code className="text-xs break-all">{basis.frame}</code> },
            { name: 'Message', value: <code className="foreign text-xs">{basis.message}</code> },
          ]}
        />
      )}
      {basis !== null && !print.exact && /<(?:number|path|address|time|hex|uuid)>/.test(basis.message) ? (
        <p className="text-muted">Values in angle brackets vary between occurrences.</p>
      ) : null}
    </div>
  );
}

function SplitOff({ group }: { group: FailureGroupDetail }) {
  const openWhenDone = useOpenWhenDone();
  const review = useReview();
  const query = useQuery(failureQueries.occurrences(group.id));
  const split = useSplitFailure(group.id);
  return (
    <Section title="Split off">
      {query.data === undefined ? (
        <QueryState query={query} what="the occurrences" lines={2} />
      ) : (
        <ol className="flex max-h-80 min-w-0 flex-col divide-y overflow-y-auto rounded border">
          {query.data.failures.map((failure) => (
            <li key={failure.id} className="flex min-w-0 flex-col gap-1 px-3 py-2 text-sm">
              <span className="foreign line-clamp-3">
                <CodeText text={failure.message} />
              </span>
              <span className="flex flex-wrap items-center gap-2 text-muted">
                {failure.revision === null ? 'no revision' : `revision ${failure.revision}`}, {failure.count}×,{' '}
                <RelativeTime time={failure.last_seen} />
                <Button
                  size="sm"
                  pending={split.isPending}
                  onClick={() => review.named(() => split.mutate(failure.id, { onSuccess: openWhenDone() }))}
                  className="ml-auto"
                >
                  Split off
                </Button>
              </span>
            </li>
          ))}
        </ol>
      )}
      <ProblemLine error={split.error} />
    </Section>
  );
}

function MergeInto({ group }: { group: FailureGroupDetail }) {
  const openWhenDone = useOpenWhenDone();
  const review = useReview();
  const { data } = useInfiniteQuery(failureQueries.list({ extension: group.extension }));
  const merge = useMergeFailure(group.id);
  const [into, setInto] = useState('');
  const others = (data?.pages.flatMap((page) => page.groups) ?? []).filter((other) => other.id !== group.id);
  return (
    <Section title="Merge into">
      {others.length === 0 ? (
        <p className="text-sm text-muted">{group.extension} has no other failures.</p>
      ) : (
        <div className="flex min-w-0 flex-wrap gap-2">
          <Select
            aria-label="Merge into"
            options={[['', `Choose a failure of ${group.extension}`], ...others.map(({ id, title }) => [id, title] as const)]}
            value={into}
            onChange={setInto}
            className="min-w-40 flex-1"
          />
          <Button
            pending={merge.isPending}
            aria-disabled={into === ''}
            onClick={() => review.named(() => merge.mutate(into, { onSuccess: openWhenDone() }))}
          >
            Merge
          </Button>
        </div>
      )}
      <ProblemLine error={merge.error} />
    </Section>
  );
}

/** Opens the resulting failure unless the person navigated away. */
function useOpenWhenDone(): () => (made: { readonly id: string }) => void {
  const router = useRouter();
  return () => {
    const isStillHere = trackLocation();
    return ({ id }) => {
      if (isStillHere()) router.push(PAGES.failure(id));
    };
  };
}
