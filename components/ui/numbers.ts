const UNITS = ['bytes', 'KiB', 'MiB'] as const;

/** "812 bytes", "1.4 KiB", "10 MiB". */
export function sizeInWords(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_048_576 ? 1 : 2;
  const count = bytes / 1_024 ** power;
  const shown = power === 0 || count >= 100 ? inThousands(Math.round(count)) : String(Number(count.toFixed(1)));
  return `${shown} ${bytes === 1 ? 'byte' : UNITS[power]}`;
}

/** Length of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

const known = new WeakMap<object, number>();

/** UTF-8 length of a value as JSON, or of a text. Cached per value, since large values are measured often. */
export function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value !== 'object' || value === null) return bytesOf(JSON.stringify(value) ?? 'null');
  const size = known.get(value) ?? bytesOf(JSON.stringify(value));
  known.set(value, size);
  return size;
}

/** Shares above 0 never round to 0%, shares below 1 never to 100%. */
export function shareInWords(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0%';
  const share = (part / whole) * 100;
  if (part < whole && share > 99.9) return '> 99.9%';
  return share < 0.1 ? '< 0.1%' : `${share >= 10 ? Math.round(share) : Number(share.toFixed(1))}%`;
}

/** "1,234,567". Not `toLocaleString`: its first use loads locale data, which takes longer than the rest of the page. */
export function inThousands(count: number): string {
  const [whole = '', rest] = String(count).split('.');
  const grouped = /e|[a-z]/i.test(whole) ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}
