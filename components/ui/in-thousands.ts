/** "1,234,567". Not `toLocaleString`: its first use loads locale data, which takes longer than the rest of the page. */
export function inThousands(count: number): string {
  const [whole = '', rest] = String(count).split('.');
  const grouped = /e|[a-z]/i.test(whole) ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}
