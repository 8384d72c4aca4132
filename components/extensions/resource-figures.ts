import type { ExtensionResources, ResourceSample } from '#lib/contract/extension-process.ts';

const MIB = 1_048_576;
const POINT = 4;

export type Measure = 'memory' | 'cpu';

export function valueOf(sample: ResourceSample, measure: Measure): number | null {
  return measure === 'memory' ? sample.memory_bytes : sample.cpu_percent;
}

/** "82.4 MiB", "3.2%". */
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
  /** Over its samples. */
  readonly meanCpu: number | null;
}

/** What each revision that ran used, the newest first. */
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
  /** One path for each stretch without a gap, in a box of `width` × `height`. */
  readonly paths: readonly string[];
  /** Where another revision begins to serve, with its place from the left. */
  readonly marks: readonly { readonly x: number; readonly revision: number }[];
  readonly most: number;
}

/** The samples as lines from left to right by time; a stretch without a process is a gap. */
export function curveOf(
  { samples, every_ms: every }: Pick<ExtensionResources, 'samples' | 'every_ms'>,
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
  const most = Math.max(1, ...points.map(({ value }) => value));
  const paths: string[] = [];
  const marks: Curve['marks'][number][] = [];
  let path = '';
  points.forEach((point, place) => {
    const before = points[place - 1];
    const x = round(((point.at - first) / span) * width);
    const y = round(height - (point.value / most) * (height - 2) - 1);
    if (before !== undefined && before.revision !== point.revision) marks.push({ x, revision: point.revision });
    const isGap = before !== undefined && point.at - before.at > every * 2.5;
    if (isGap) paths.push(path);
    path = before === undefined || isGap ? `M${x} ${y}` : `${path}L${x} ${y}`;
  });
  if (path !== '') paths.push(path);
  // A point alone is drawn as a short line, at the end so that the last one is in the box.
  return { paths: paths.map((each) => (each.includes('L') ? each : `${each}h${each.startsWith('M0 ') ? POINT : -POINT}`)), marks, most };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
