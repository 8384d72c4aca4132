/**
 * Spreadsheets run a text that begins so as a formula, and its author may be anybody: also behind spaces and characters that they
 * drop, and with the wide signs of East Asian keyboards. What begins with a tab or line end is a formula after its import.
 */
const FORMULA = /^[\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** One record as of RFC 4180, in which nothing is a formula; what is neither text nor number is its JSON, null an empty cell. */
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
