import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Client } from '@modelcontextprotocol/client';

/**
 * Tools that a server only runs as tasks (2025-11-25): the call starts one, and its result is that of the task. What can go wrong:
 * the call ends first (the task is cancelled); the server neither reports a status nor answers for it (then it is only waited for).
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

type StatusListener = (status: unknown) => void;

/** By connection and id: tasks whose server may report their status before it is asked. */
const followed = new WeakMap<Client, Map<string, StatusListener>>();
const notedSchema = z.looseObject({ taskId: z.string() });

/** For a new connection. */
export function followTasks(client: Client): void {
  const listeners = new Map<string, StatusListener>();
  followed.set(client, listeners);
  // The official client has no handler for notifications of tasks.
  client.fallbackNotificationHandler = async ({ method, params }) => {
    const noted = method === 'notifications/tasks/status' ? notedSchema.safeParse(params).data : undefined;
    if (noted !== undefined) listeners.get(noted.taskId)?.(noted);
  };
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

  let [count, last] = [0, ''];
  const note = (status: unknown): void => {
    const { statusMessage = '' } = statusSchema.parse(status);
    if (statusMessage !== last) onStatus((count += 1), statusMessage);
    last = statusMessage;
  };
  const follow = async (): Promise<void> => {
    for (;;) {
      await wait(Math.min(POLL_MOST_MS, Math.max(POLL_MS, pollInterval)), null, { signal: over.signal, ref: false });
      note(await client.request({ method: 'tasks/get', params }, statusSchema, { signal: over.signal }));
    }
  };
  followed.get(client)?.set(taskId, note);
  follow().catch(() => undefined);
  try {
    // Answered when the task has ended.
    return await client.request({ method: 'tasks/result', params }, anySchema, { signal, timeout: LIMITS.callTimeoutMostMs });
  } finally {
    over.abort();
    followed.get(client)?.delete(taskId);
    signal.removeEventListener('abort', cancel);
  }
}
