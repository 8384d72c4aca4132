/** The first paragraph and the rest; '' for no rest. */
export function firstParagraph(text: string): { readonly first: string; readonly rest: string } {
  const [first = ''] = text.split(/\n[^\S\n]*\n/, 1);
  return { first: first.trim(), rest: text.slice(first.length).trim() };
}
