const STACK = /\n\s+at .+:\d+:\d+\)?|\n {2}File ".+", line \d+/;

/** Whether a message for callers holds a trace of JavaScript or Python, which tells places in the program and nothing of use. */
export function hasStackTrace(message: string): boolean {
  return STACK.test(message);
}
