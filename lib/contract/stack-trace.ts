const STACK = /\n\s+at .+:\d+:\d+\)?|\n {2}File ".+", line \d+/;

/** Whether a message contains a JavaScript or Python stack trace. */
export function hasStackTrace(message: string): boolean {
  return STACK.test(message);
}
