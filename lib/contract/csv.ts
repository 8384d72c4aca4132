/**
 * Spreadsheets evaluate text with these prefixes as formulas, also after spaces and ignored characters, and with full-width
 * signs. Text after a leading tab or line break becomes a formula on import.
 */
const FORMULA = /^[\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** One RFC 4180 record without formulas; other values are JSON, null is an empty cell. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'bigint') return String(cell);
  const plain = typeof cell === 'string' ? cell : JSON.stringify(cell);
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
