import type { SourcePlace } from '#lib/schema/hints/source-place.ts';
import { placeAt } from '#lib/schema/hints/source-place.ts';
import { parseSource } from '#lib/schema/parse-source.ts';

/**
 * Where something is thrown that is no error: it has no stack that would tell. Only where a single statement can have done it, since
 * a wrong place is worse than none.
 * @param sources texts by their paths
 * @param text of what was thrown, the beginning of it; undefined where it has none
 */
export function locateThrown(
  sources: Readonly<Record<string, string>>,
  text: string | undefined,
): (SourcePlace & { readonly file: string }) | null {
  const found = Object.entries(sources).flatMap(([file, source]) =>
    source.includes('throw') && /\.[cm]?[jt]s$/.test(file)
      ? throwsIn(parseSource(file, source, { sourceType: 'unambiguous' })?.program).map((one) => ({ ...one, file, source }))
      : [],
  );
  const [only, other] = found;
  if (only === undefined || other !== undefined) return null;
  if (only.literal !== null && !isBeginning(text, only.literal)) return null;
  return { file: only.file, ...placeAt(only.source, only.start) };
}

function isBeginning(text: string | undefined, of: string): boolean {
  return text === of || (text !== undefined && text !== '' && of.startsWith(text));
}

interface Throw {
  readonly start: number;
  /** As a text; null where the statement does not show it. */
  readonly literal: string | null;
}

/** By hand and not by recursion: a long sum of texts is nested as deep as it is long. */
function throwsIn(program: unknown): readonly Throw[] {
  const found: Throw[] = [];
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const below of Object.values(node)) if (typeof below === 'object') open.push(below);
    if (fieldOf(node, 'type') !== 'ThrowStatement') continue;
    const argument = fieldOf(node, 'argument');
    const kind = fieldOf(argument, 'type');
    if (kind === 'NewExpression') continue;
    found.push({ start: Number(fieldOf(node, 'start')), literal: kind === 'Literal' ? String(fieldOf(argument, 'value')) : null });
  }
  return found;
}

function fieldOf(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined;
}
