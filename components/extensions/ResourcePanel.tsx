'use client';

import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { RelativeTime, useClockText } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { Table, Td, TdNumber, Th, Tr } from '#components/ui/Table.tsx';
import { spanInWords } from '#components/ui/times.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { extensionResourcesQuery } from '#lib/client/extension-queries.ts';
import type { ExtensionResources } from '#lib/contract/extension-process.ts';
import { curveOf, measureInWords, revisionUses, valueOf } from './resource-figures.ts';
import type { Measure } from './resource-figures.ts';

const WIDTH = 400;
const HEIGHT = 56;
/** A sample so many intervals old is none of now. */
const OLD_AFTER = 3;
const NAMES = { memory: 'Memory', cpu: 'Processor' } as const;

/** What its process uses: now, at most, and over the last minutes, with what each revision used. */
export function ResourcePanel({ id, serves }: { id: string; serves: boolean }) {
  const { data, error, refetch, isFetching } = useQuery(extensionResourcesQuery(id));
  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={4} label="Reading memory and processor time…" />
    ) : (
      <ErrorState
        title="Memory and processor time could not be read"
        detail={messageOf(error)}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  }
  return (
    <Section title="Memory and processor" note={`every ${data.every_ms / 1_000} s`}>
      {data.unavailable !== null ? (
        <p className="text-sm text-muted">{data.unavailable}</p>
      ) : data.samples.length === 0 ? (
        <p className="text-sm text-muted">
          {serves
            ? 'No process has run yet. It starts with the next call, and is measured from then on.'
            : 'No process has run, as nothing serves. One is measured once a revision loads.'}
        </p>
      ) : (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Chart resources={data} measure="memory" />
            <Chart resources={data} measure="cpu" />
          </div>
          <ByRevision resources={data} />
        </>
      )}
    </Section>
  );
}

function Chart({ resources, measure }: { resources: ExtensionResources; measure: Measure }) {
  const { samples } = resources;
  const curve = curveOf(resources, measure, WIDTH, HEIGHT);
  const isDrawn = curve.paths.length > 0;
  const values = samples.map((sample) => valueOf(sample, measure)).filter((value) => value !== null);
  const newest = samples.at(-1)?.at ?? '';
  const isOver = useClockText((time) => String(time - Date.parse(newest) > resources.every_ms * OLD_AFTER)) === 'true';
  const now = isOver ? 'not running' : measureInWords(values.at(-1) ?? null, measure);
  const peak = measureInWords(values.length === 0 ? null : Math.max(...values), measure);
  const span = spanInWords(Date.parse(newest) - Date.parse(samples[0]?.at ?? ''));
  const limit = measure === 'memory' ? `stopped at ${measureInWords(resources.memory_limit_bytes, 'memory')}` : 'of one core';
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <span className="text-muted">{NAMES[measure]}</span>
        <span className="tabular font-semibold">{now}</span>
        <span className="tabular ml-auto text-xs text-muted">
          {isDrawn ? `at most ${peak}; ` : ''}
          {limit}
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${NAMES[measure]} over ${span === 'now' ? 'a moment' : span}: ${isOver ? 'not running now' : `${now} now`}, at most ${peak}${curve.marks.map(({ revision }) => `, revision ${revision} from within`).join('')}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-14 w-full rounded-sm border bg-subtle"
      >
        {curve.marks.map(({ x, revision }) => (
          <line
            key={`${x} ${revision}`}
            x1={x}
            x2={x}
            y1={0}
            y2={HEIGHT}
            className="stroke-accent"
            strokeDasharray="3 3"
            vectorEffect="non-scaling-stroke"
          >
            <title>Revision {revision} from here on</title>
          </line>
        ))}
        {curve.paths.map((path) => (
          <path key={path} d={path} fill="none" className="stroke-running" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
        ))}
      </svg>
      <p className="tabular flex justify-between gap-2 text-xs text-muted">
        <RelativeTime time={samples[0]?.at ?? ''} />
        {curve.marks.length === 0 ? null : <span>dashed: revision {curve.marks.map(({ revision }) => revision).join(', ')} begins</span>}
        {isOver ? <RelativeTime time={newest} /> : <span>now</span>}
      </p>
    </figure>
  );
}

function ByRevision({ resources: { samples } }: { resources: ExtensionResources }) {
  return (
    <Table label="Memory and processor by revision">
      <thead>
        <tr>
          <Th>Revision</Th>
          <Th className="text-right">Memory, most</Th>
          <Th className="text-right">Processor, most</Th>
          <Th className="text-right">on average</Th>
          <Th className="text-right max-sm:hidden">Last measured</Th>
        </tr>
      </thead>
      <tbody>
        {revisionUses(samples).map((use) => (
          <Tr key={use.revision}>
            <Td className="tabular font-medium">{use.revision}</Td>
            <TdNumber>{measureInWords(use.peakMemory, 'memory')}</TdNumber>
            <TdNumber>{measureInWords(use.peakCpu, 'cpu')}</TdNumber>
            <TdNumber>{measureInWords(use.meanCpu, 'cpu')}</TdNumber>
            <TdNumber className="max-sm:hidden">
              <RelativeTime time={use.until} />
            </TdNumber>
          </Tr>
        ))}
      </tbody>
    </Table>
  );
}
