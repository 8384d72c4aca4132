export interface SplitStack {
  /** The error's own text and the extension's frames. */
  readonly own: string;
  /** Frames of the runtime and of packages; empty when there are none. */
  readonly rest: readonly string[];
}

const FRAME = /^\s+at /;
const FOREIGN = /node:|node_modules|<anonymous>|native/;

/** Divides a stack into what the extension's author can act on and the rest. */
export function splitStack(stack: string): SplitStack {
  const own: string[] = [];
  const rest: string[] = [];
  for (const line of stack.split('\n')) {
    if (FRAME.test(line) && FOREIGN.test(line)) rest.push(line);
    else own.push(line);
  }
  return { own: own.join('\n').trimEnd(), rest };
}
