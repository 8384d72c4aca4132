import type { FramedProcess } from './framed-process.ts';

/**
 * One Python process that has started and imported nothing of any extension, so that a save does not wait for a start. It holds
 * no secrets: its environment is the common one.
 *
 * What can go wrong: it dies while it waits (it is thrown away; a new one comes with the next load, never in a loop), or another
 * interpreter is asked for (then it goes on waiting and the load starts its own).
 */
export interface PythonSpare {
  /** Null when none fits. */
  take(interpreter: string): { readonly process: FramedProcess; readonly isReady: boolean } | null;
  /** Starts the next one where there is none; called when a load is through, so as not to slow it. */
  replenish(interpreter: string): void;
}

export function createPythonSpare(start: (interpreter: string) => FramedProcess | null): PythonSpare {
  let spare: { readonly process: FramedProcess; readonly interpreter: string; isReady: boolean } | null = null;
  return {
    take(interpreter) {
      if (spare?.interpreter !== interpreter) return null;
      const taken = spare;
      spare = null;
      return taken;
    },
    replenish(interpreter) {
      if (spare !== null) return;
      const process = start(interpreter);
      if (process === null) return;
      const next = { process, interpreter, isReady: false };
      spare = next;
      process.listen({
        onMessage(message) {
          if (message.type === 'hello') next.isReady = true;
        },
        onEnd() {
          if (spare === next) spare = null;
        },
        onOutput: () => undefined,
      });
    },
  };
}
