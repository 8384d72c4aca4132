/** "1,234,567". By hand: the first `toLocaleString` of a page loads the rules of a language, which takes longer than all the rest of it. */
export function inThousands(count: number): string {
  const [whole = '', rest] = String(count).split('.');
  const grouped = /e|[a-z]/i.test(whole) ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}
