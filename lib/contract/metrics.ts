/** What is measured, as Prometheus knows it. Names and units follow its conventions: seconds, bytes, `_total` for what only grows. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** Of a histogram: which of its series this is. */
  readonly part?: '_bucket' | '_sum' | '_count';
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
