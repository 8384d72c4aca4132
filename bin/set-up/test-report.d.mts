export interface Failure {
  readonly file: string;
  readonly name: string;
  readonly lines: readonly string[];
}

export interface Reading {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  readonly flaky: readonly string[];
}

export function readVitest(report: object): Reading;
export function readPlaywright(report: object): Reading;
export function summaryLines(readings: readonly Reading[]): string[];
