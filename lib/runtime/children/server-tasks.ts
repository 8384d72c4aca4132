import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Client } from '@modelcontextprotocol/client';

/**
 * Tools that a server only runs as tasks (2025-11-25): the call starts one, and its result is that of the task. What can go wrong:
 * the call ends first (the task is cancelled); the server does not report a status (then it is only waited for).
 */
export const TASK_PARAMS = { task: { ttl: LIMITS.callTimeoutMostMs } } as const;

const startedSchema = z.object({ task: z.object({ taskId: z.string(), pollInterval: z.number().positive().optional().catch(undefined) }) });
const statusSchema = z.looseObject({ statusMessage: z.string().optional().catch(undefined) });
const anySchema = z.looseObject({});

export type StartedTask = z.infer<typeof startedSchema>['task'];

/** Null: the server answered with the result. */
export function taskOf(answer: unknown): StartedTask | null {
  return startedSchema.safeParse(answer).data?.task ?? null;
}

const POLL_MS = 1_000;
const POLL_MOST_MS = 60_000;

/** @param onStatus called with each new status message, and its number */
export async function endOfTask(
  client: Client,
  { taskId, pollInterval = POLL_MS }: StartedTask,
  signal: AbortSignal,
  onStatus: (count: number, message: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const over = new AbortController();
  const params = { taskId };
  const cancel = (): void => void client.request({ method: 'tasks/cancel', params }, anySchema).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });

  const follow = async (): Promise<void> => {
    let [count, last] = [0, ''];
    for (;;) {
      await wait(Math.min(POLL_MOST_MS, Math.max(POLL_MS, pollInterval)), null, { signal: over.signal, ref: false });
      const { statusMessage = '' } = await client.request({ method: 'tasks/get', params }, statusSchema, { signal: over.signal });
      if (statusMessage !== last) onStatus((count += 1), statusMessage);
      last = statusMessage;
    }
  };
  follow().catch(() => undefined);
  try {
    // Answered when the task has ended.
    return await client.request({ method: 'tasks/result', params }, anySchema, { signal, timeout: LIMITS.callTimeoutMostMs });
  } finally {
    over.abort();
    signal.removeEventListener('abort', cancel);
  }
}
