/*
 * Later class names override earlier ones that set the same property. tailwind-merge does this for all of Tailwind and would
 * add 9 kB to every page; this table covers the classes in use, and a test compares it with tailwind-merge for every class in
 * the sources.
 */
const DISPLAY = /^(?:block|inline-block|inline|flex|inline-flex|grid|inline-grid|contents|hidden|table|list-item|flow-root)$/;
const SIZES = '(?:xs|sm|base|lg|xl|\\dxl|\\[\\d[^\\]]*\\])';

/** Group and pattern, more specific patterns first. */
const GROUPS: readonly (readonly [group: string, pattern: RegExp])[] = [
  // Most classes: found by prefix alone.
  [
    '',
    /^(?:size|h|w|min-h|min-w|max-h|max-w|gap-x|gap-y|gap|space-x|space-y|px|py|pt|pb|pl|pr|p|mx|my|mt|mb|ml|mr|m|top|right|bottom|left|inset-x|inset-y|z|translate-x|translate-y|translate|opacity|brightness|cursor|self|order|basis|align|resize|scroll-mt|scroll-my|scroll-m|shadow|animate|accent|tracking|tab|object|aspect|divide-x|divide-y|rotate|scale|duration|ease|select|appearance|origin|columns|ring|will-change)(?=-|$)/,
  ],
  ['display', DISPLAY],
  ['position', /^(?:static|fixed|absolute|relative|sticky)$/],
  ['sr', /^(?:not-)?sr-only$/],
  ['line-clamp', /^line-clamp-/],
  ['font-size', new RegExp(`^text-${SIZES}$`)],
  ['text-align', /^text-(?:left|center|right|justify|start|end)$/],
  ['text-wrap', /^text-(?:wrap|nowrap|balance|pretty)$/],
  ['text-overflow', /^(?:truncate|text-ellipsis|text-clip)$/],
  ['text-colour', /^text-/],
  ['leading', /^leading-/],
  ['font-family', /^font-(?:mono|sans)$/],
  ['font-weight', /^font-(?:thin|light|normal|medium|semibold|bold)$/],
  ['whitespace', /^whitespace-/],
  ['break', /^break-/],
  ['decoration-line', /^(?:underline|no-underline|line-through)$/],
  ['decoration-colour', /^decoration-/],
  ['underline-offset', /^underline-offset-/],
  ['case', /^(?:uppercase|lowercase|capitalize|normal-case)$/],
  ['bg', /^bg-/],
  ['fill', /^fill-/],
  ['stroke-width', /^stroke-(?:\d|\[)/],
  ['stroke', /^stroke-/],
  ['border-spacing', /^border-spacing-/],
  ['border-collapse', /^border-(?:collapse|separate)$/],
  ['border-style', /^border-(?:solid|dashed|dotted|none)$/],
  ['border-t', /^border-t(?:-\d+)?$/],
  ['border-b', /^border-b(?:-\d+)?$/],
  ['border-l', /^border-l(?:-\d+)?$/],
  ['border-r', /^border-r(?:-\d+)?$/],
  ['border-x', /^border-x(?:-\d+)?$/],
  ['border-y', /^border-y(?:-\d+)?$/],
  ['border-width', /^border(?:-\d+)?$/],
  ['border-l-colour', /^border-l-/],
  ['border-t-colour', /^border-t-/],
  ['border-b-colour', /^border-b-/],
  ['border-r-colour', /^border-r-/],
  ['border-colour', /^border-/],
  ['rounded-l', /^rounded-l(?:-|$)/],
  ['rounded-r', /^rounded-r(?:-|$)/],
  ['rounded-t', /^rounded-t(?:-|$)/],
  ['rounded-b', /^rounded-b(?:-|$)/],
  ['rounded', /^rounded(?:-|$)/],
  ['flex-direction', /^flex-(?:row|col)(?:-reverse)?$/],
  ['flex-wrap', /^flex-(?:wrap|nowrap)/],
  ['flex', /^flex-/],
  ['items', /^items-/],
  ['justify-self', /^justify-self-/],
  ['justify', /^justify-/],
  ['content', /^content-/],
  ['outline-offset', /^outline-offset-/],
  ['outline-width', /^outline(?:-\d+)?$/],
  ['outline-style', /^outline-(?:none|hidden|solid|dashed|dotted|double)$/],
  ['outline-colour', /^outline-/],
  ['overflow-x', /^overflow-x-/],
  ['overflow-y', /^overflow-y-/],
  ['overflow', /^overflow-/],
  ['inset', /^inset-(?![xy]-)/],
  ['transition', /^transition(?:-|$)/],
  ['shrink', /^shrink(?:-|$)/],
  ['grow', /^grow(?:-|$)/],
  ['list', /^list-(?:disc|decimal|none)$/],
  ['pointer-events', /^pointer-events-/],
  ['grid-cols', /^grid-cols-/],
  ['col-start', /^col-start-/],
  ['col-end', /^col-end-/],
  ['col', /^col-/],
  ['row-start', /^row-start-/],
  ['row', /^row-/],
  ['contain-intrinsic-size', /^\[contain-intrinsic-size:/],
  ['content-visibility', /^\[content-visibility:/],
];

/** Groups that a group also sets. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  size: ['w', 'h'],
  p: ['px', 'py', 'pt', 'pb', 'pl', 'pr'],
  px: ['pl', 'pr'],
  py: ['pt', 'pb'],
  m: ['mx', 'my', 'mt', 'mb', 'ml', 'mr'],
  mx: ['ml', 'mr'],
  my: ['mt', 'mb'],
  gap: ['gap-x', 'gap-y'],
  inset: ['inset-x', 'inset-y', 'top', 'right', 'bottom', 'left'],
  'inset-x': ['left', 'right'],
  'inset-y': ['top', 'bottom'],
  overflow: ['overflow-x', 'overflow-y'],
  rounded: ['rounded-l', 'rounded-r', 'rounded-t', 'rounded-b'],
  'border-width': ['border-t', 'border-b', 'border-l', 'border-r', 'border-x', 'border-y'],
  'border-x': ['border-l', 'border-r'],
  'border-y': ['border-t', 'border-b'],
  'border-colour': ['border-l-colour', 'border-t-colour', 'border-b-colour', 'border-r-colour'],
  flex: ['basis', 'grow', 'shrink'],
  'font-size': ['leading'],
  'line-clamp': ['display', 'overflow'],
  'scroll-m': ['scroll-mt', 'scroll-my'],
  'scroll-my': ['scroll-mt'],
};

const known = new Map<string, readonly [own: string, all: readonly string[]] | null>();
/** Cached: class lists are constants in the sources. */
const merged = new Map<string, string>();

/** Removes overridden class names. Unknown names stay. */
export function mergeClasses(classes: string): string {
  const before = merged.get(classes);
  if (before !== undefined) return before;
  const list = withoutReplaced(classes);
  merged.set(classes, list);
  return list;
}

function withoutReplaced(classes: string): string {
  const taken = new Set<string>();
  const kept: string[] = [];
  for (const name of classes.split(/\s+/).toReversed()) {
    if (name === '') continue;
    if (!known.has(name)) known.set(name, groupOf(name));
    const group = known.get(name) ?? null;
    if (group === null) {
      kept.push(name);
      continue;
    }
    const [own, all] = group;
    if (taken.has(own)) continue;
    for (const each of all) taken.add(each);
    kept.push(name);
  }
  return kept.toReversed().join(' ');
}

/** Property with its variants (`hover:`) and `!`; null if not in the table. */
function groupOf(name: string): readonly [own: string, all: readonly string[]] | null {
  let depth = 0;
  let start = 0;
  for (let at = 0; at < name.length; at += 1) {
    const char = name.charAt(at);
    if (char === '[' || char === '(') depth += 1;
    else if (char === ']' || char === ')') depth -= 1;
    else if (char === ':' && depth === 0) start = at + 1;
  }
  const plain = name.slice(start).replace(/!$/, '').replace(/^!/, '');
  const when = `${name.slice(0, start).split(':').toSorted().join(':')}${plain.length === name.length - start ? '' : '!'}`;
  const base = plain.replace(/^-/, '');
  const found = GROUPS.find(([, pattern]) => pattern.test(base));
  if (found === undefined) return null;
  const group = found[0] === '' ? (found[1].exec(base)?.[0] ?? base) : found[0];
  return [`${when} ${group}`, [group, ...(ALSO[group] ?? [])].map((each) => `${when} ${each}`)];
}
