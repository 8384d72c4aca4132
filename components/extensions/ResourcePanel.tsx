'use client';

import { useQuery } from '@tanstack/react-query';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { RelativeTime, useClockText } from '#components/ui/RelativeTime.tsx';
import { Table, Td, TdNumber, Th, Tr } from '#components/ui/Table.tsx';
import { spanInWords } from '#components/ui/times.ts';
import { extensionResourcesQuery } from '#lib/client/extension-queries.ts';
import type { ExtensionResources, ResourceSample } from '#lib/contract/extension-reports.ts';

const MIB = 1_048_576;
const POINT = 4;

export type Measure = 'memory' | 'cpu';

export function valueOf(sample: ResourceSample, measure: Measure): number | null {
  return measure === 'memory' ? sample.memory_bytes : sample.cpu_percent;
}

export function measureInWords(value: number | null, measure: Measure): string {
  if (value === null) return '–';
  const shown = measure === 'memory' ? value / MIB : value;
  const digits = shown >= 100 ? 0 : 1;
  return `${shown.toFixed(digits)}${measure === 'memory' ? ' MiB' : '%'}`;
}

export interface RevisionUse {
  readonly revision: number;
  readonly since: string;
  readonly until: string;
  readonly peakMemory: number;
  readonly peakCpu: number | null;
  readonly meanCpu: number | null;
}

export function revisionUses(samples: readonly ResourceSample[]): readonly RevisionUse[] {
  const byRevision = Map.groupBy(samples, (sample) => sample.revision);
  return [...byRevision]
    .map(([revision, its]) => {
      const cpu = its.map((sample) => sample.cpu_percent).filter((percent) => percent !== null);
      return {
        revision,
        since: its[0]?.at ?? '',
        until: its.at(-1)?.at ?? '',
        peakMemory: Math.max(...its.map((sample) => sample.memory_bytes)),
        peakCpu: cpu.length === 0 ? null : Math.max(...cpu),
        meanCpu: cpu.length === 0 ? null : cpu.reduce((sum, percent) => sum + percent, 0) / cpu.length,
      };
    })
    .toSorted((a, b) => (a.until < b.until ? 1 : -1));
}

export interface Curve {
  /** One path per stretch without a gap, in a box of `width` × `height`. */
  readonly paths: readonly string[];
  readonly marks: readonly { readonly x: number; readonly revision: number }[];
  readonly max: number;
}

/** Times without a process are gaps. */
export function curveOf(
  { samples, unread_every_ms: longest }: Pick<ExtensionResources, 'samples' | 'unread_every_ms'>,
  measure: Measure,
  width: number,
  height: number,
): Curve {
  const points = samples.flatMap((sample) => {
    const value = valueOf(sample, measure);
    return value === null ? [] : [{ at: Date.parse(sample.at), value, revision: sample.revision }];
  });
  const first = points[0]?.at ?? 0;
  const span = Math.max(1, (points.at(-1)?.at ?? 0) - first);
  const max = Math.max(1, ...points.map(({ value }) => value));
  const paths: string[] = [];
  const marks: Curve['marks'][number][] = [];
  let path = '';
  points.forEach((point, place) => {
    const before = points[place - 1];
    const x = round(((point.at - first) / span) * width);
    const y = round(height - (point.value / max) * (height - 2) - 1);
    if (before !== undefined && before.revision !== point.revision) marks.push({ x, revision: point.revision });
    const isGap = before !== undefined && point.at - before.at > longest * 1.5;
    if (isGap) paths.push(path);
    path = before === undefined || isGap ? `M${x} ${y}` : `${path}L${x} ${y}`;
  });
  if (path !== '') paths.push(path);
  // A single point is drawn as a short line.
  return { paths: paths.map((each) => (each.includes('L') ? each : `${each}h${each.startsWith('M0 ') ? POINT : -POINT}`)), marks, max };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const WIDTH = 400;
const HEIGHT = 56;
/** Intervals after which a sample is stale. */
const OLD_AFTER = 3;
const NAMES = { memory: 'Memory', cpu: 'CPU' } as const;

export function ResourcePanel({ id, serves }: { id: string; serves: boolean }) {
  const { data, error, refetch, isFetching } = useQuery(extensionResourcesQuery(id));
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="memory and CPU time" lines={4} />;
  return (
    <Section title="Memory and CPU" note={`every ${data.every_ms / 1_000} s`}>
      {data.unavailable !== null ? (
        <p className="text-sm text-muted">{data.unavailable}</p>
      ) : data.samples.length === 0 ? (
        <p className="text-sm text-muted">{serves ? 'No process yet. The next call starts one.' : 'No process: no revision is serving.'}</p>
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
  const values = samples.map((sample) => valueOf(sample, measure)).filter((value) => value !== null);
  const isDrawn = values.length > 1;
  const newest = samples.at(-1)?.at ?? '';
  const isOver = useClockText((time) => String(time - Date.parse(newest) > resources.every_ms * OLD_AFTER)) === 'true';
  const now = isOver ? 'not running' : measureInWords(values.at(-1) ?? null, measure);
  const peak = measureInWords(values.length === 0 ? null : Math.max(...values), measure);
  const span = spanInWords(Date.parse(newest) - Date.parse(samples[0]?.at ?? ''));
  const limit = measure === 'memory' ? `limit ${measureInWords(resources.memory_limit_bytes, 'memory')}` : 'of one core';
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="flex flex-wrap items-baseline gap-x-2 text-sm">
        <span className="text-muted">{NAMES[measure]}</span>
        <span className="tabular font-semibold">{now}</span>
        <span className="tabular ml-auto text-xs text-muted">
          {values.length > 0 ? `peak ${peak}${measure === 'memory' ? ', ' : ' '}` : ''}
          {limit}
        </span>
      </figcaption>
      {isDrawn ? (
        <>
          <svg
            role="img"
            aria-label={`${NAMES[measure]} over ${span === 'now' ? 'a moment' : span}: ${isOver ? 'not running' : `${now} now`}, at most ${peak}${curve.marks.map(({ revision }) => `, revision ${revision} from within`).join('')}`}
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
                <title>{`Revision ${revision} from here on`}</title>
              </line>
            ))}
            {curve.paths.map((path) => (
              <path key={path} d={path} fill="none" className="stroke-running" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
            ))}
          </svg>
          <p className="tabular flex justify-between gap-2 text-xs text-muted">
            <RelativeTime time={samples[0]?.at ?? ''} />
            {curve.marks.length === 0 ? null : (
              <span>dashed: revision {curve.marks.map(({ revision }) => revision).join(', ')} begins</span>
            )}
            {isOver ? <RelativeTime time={newest} /> : <span>now</span>}
          </p>
        </>
      ) : (
        <p className="flex h-19 items-center text-sm text-muted">The chart starts with the second measurement.</p>
      )}
    </figure>
  );
}

function ByRevision({ resources: { samples } }: { resources: ExtensionResources }) {
  return (
    <Table label="Memory and CPU by revision">
      <thead>
        <tr>
          <Th>Revision</Th>
          <Th className="text-right">Peak memory</Th>
          <Th className="text-right">Peak CPU</Th>
          <Th className="text-right">Average CPU</Th>
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
