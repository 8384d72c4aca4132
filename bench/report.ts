/** Results of a section as tables. */
export interface Section {
  readonly title: string;
  /** Procedure, to reproduce it. */
  readonly method: string;
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A target; missing it is not a failure. */
export interface Target {
  readonly target: string;
  readonly found: string;
  readonly isMet: boolean;
}

export function sectionText({ title, method, tables, targets }: Section): string {
  const targetTable = { head: ['target', 'found', ''], rows: targets.map((one) => [one.target, one.found, one.isMet ? 'met' : 'missed']) };
  return [`## ${title}`, method, ...[...tables, ...(targets.length === 0 ? [] : [targetTable])].map(tableText)].join('\n\n');
}

function tableText({ head, rows }: Table): string {
  const widths = head.map((title, at) => Math.max(3, title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${widths.map((width, at) => pad(cells[at] ?? '', width, at)).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
