export interface SplitStack {
  /** Error message and frames of the extension. */
  readonly own: string;
  /** Frames of runtime and packages; may be empty. */
  readonly rest: readonly string[];
}

const FRAME = /^\s+at (?:async )?(.*)$/;
const IN_BRACKETS = /\(([^()]*)\)$/;

export function splitStack(stack: string): SplitStack {
  const own: string[] = [];
  const rest: string[] = [];
  for (const line of stack.split('\n')) {
    if (isForeign(line)) rest.push(line);
    else own.push(line);
  }
  return { own: own.join('\n').trimEnd(), rest };
}

function isForeign(line: string): boolean {
  const frame = FRAME.exec(line)?.[1];
  if (frame === undefined) return false;
  const place = IN_BRACKETS.exec(frame)?.[1] ?? frame;
  return place.startsWith('node:') || place.includes('node_modules/') || place === '<anonymous>' || place === 'native';
}
