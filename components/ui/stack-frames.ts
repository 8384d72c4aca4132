export interface SplitStack {
  /** The error's own text and the extension's frames. */
  readonly own: string;
  /** Frames of the runtime and of packages; empty when there are none. */
  readonly rest: readonly string[];
}

const FRAME = /^\s+at (?:async )?(.*)$/;
const IN_BRACKETS = /\(([^()]*)\)$/;

/** Divides a stack into what the extension's author can act on and the rest. */
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
