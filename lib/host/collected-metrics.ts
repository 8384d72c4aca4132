import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Label values, each with its number. */
export type LabelledValues = Iterable<readonly [string, number]>;

/** Metrics read during a scrape. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const collect = function (this: Gauge): void {
    this.set(read());
  };
  void new Gauge({ name, help, registers: [registry], collect });
}

export function addGaugeBy(registry: Registry, label: string, name: string, help: string, read: () => LabelledValues): void {
  const collect = function (this: Gauge): void {
    this.reset();
    for (const [value, number] of read()) this.labels(value).set(number);
  };
  void new Gauge({ name, help, labelNames: [label], registers: [registry], collect });
}

/** @param read numbers that never decrease */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  const collect = function (this: Counter): void {
    this.reset();
    this.inc(read());
  };
  void new Counter({ name, help, registers: [registry], collect });
}

export function addCounterBy(registry: Registry, label: string, name: string, help: string, read: () => LabelledValues): void {
  const collect = function (this: Counter): void {
    this.reset();
    for (const [value, number] of read()) this.labels(value).inc(number);
  };
  void new Counter({ name, help, labelNames: [label], registers: [registry], collect });
}
