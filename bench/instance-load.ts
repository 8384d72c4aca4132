import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { KEY_TOOL, KEYS_FILE } from './instance-fleet.ts';
import type { Fleet, Place } from './instance-fleet.ts';
import { wait } from './servers.ts';

/**
 * Calls through the load balancer at a fixed rate. Each has an idempotency key and is repeated, as a client does, when its
 * connection breaks or the server asks for it; the tool writes the key into a file, so a second run shows.
 */
export interface InstanceLoad {
  readonly counts: { answered: number; repeated: number; failed: number; broken: number };
  /** Errors that clients without retries would have seen. */
  readonly firstFailures: string[];
  /** Resolves when every request has ended. */
  stop(): Promise<void>;
  /** Violated guarantees; call after `stop`. */
  verify(at: Place): Promise<readonly string[]>;
}

const TRIES_MOST = 100;
const AGAIN_MS = 250;
const ANSWER_MOST_MS = 8_000;
const AT_A_TIME = 8;

export function startInstanceLoad(fleet: Fleet, perSecond: number): InstanceLoad {
  const acknowledged = new Map<string, string>();
  const unanswered: string[] = [];
  const running = new Set<Promise<void>>();
  const counts = { answered: 0, repeated: 0, failed: 0, broken: 0 };
  const firstFailures: string[] = [];

  async function call(): Promise<void> {
    const key = randomUUID();
    for (let tries = 1; tries <= TRIES_MOST; tries += 1) {
      const answer = await callOnce(fleet.port, key);
      if (tries === 1 && answer.status !== 200) firstFailures.push(`${answer.status} ${answer.text.slice(0, 200)}`);
      if (answer.status === 200) {
        const { id, status }: { readonly id: string; readonly status: string } = JSON.parse(answer.text);
        counts.answered += 1;
        if (status === 'succeeded') acknowledged.set(key, id);
        else counts.failed += 1;
        return;
      }
      if (answer.status === 0) counts.broken += 1;
      counts.repeated += 1;
      await wait(AGAIN_MS);
    }
    unanswered.push(key);
  }

  const timer = setInterval(() => {
    const one = call().finally(() => running.delete(one));
    running.add(one);
  }, 1_000 / perSecond);

  return {
    counts,
    firstFailures,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
    async verify({ server }) {
      const wrong = unanswered.map((key) => `the call ${key} was repeated ${TRIES_MOST} times without an answer`);
      const runs = new Map<string, number>();
      const text = await readFile(path.join(fleet.workspace, KEYS_FILE), 'utf8');
      for (const key of text.split('\n')) runs.set(key, (runs.get(key) ?? 0) + 1);
      runs.delete('');
      for (const [key, count] of runs) if (count > 1) wrong.push(`the call ${key} ran ${count} times`);
      for (const key of acknowledged.keys()) if (!runs.has(key)) wrong.push(`the call ${key} was acknowledged and did not run`);
      const ids = acknowledged.values();
      await Promise.all(
        Array.from({ length: AT_A_TIME }, async () => {
          for (const id of ids) {
            const answer = await fetch(`${server.url}/api/v1/calls/${id}`);
            const body = await answer.text();
            if (!answer.ok || JSON.parse(body).status !== 'succeeded')
              wrong.push(`the acknowledged call ${id} reads ${body.slice(0, 200)}`);
          }
        }),
      );
      return wrong;
    },
  };
}

/** Status 0: the connection broke, or the answer took too long. */
function callOnce(port: number, key: string): Promise<{ readonly status: number; readonly text: string }> {
  const body = JSON.stringify({ arguments: { key } });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'idempotency-key': key,
    connection: 'close',
  };
  return new Promise((resolve) => {
    const broken = (error: Error): void => resolve({ status: 0, text: error.message });
    const asked = request(
      { host: '127.0.0.1', port, path: `/api/v1/tools/${KEY_TOOL}/call`, method: 'POST', headers, agent: false, timeout: ANSWER_MOST_MS },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
        answer.on('error', broken);
        answer.on('aborted', () => broken(new Error('The answer was cut.')));
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('No answer in time.')));
    asked.on('error', broken);
    asked.end(body);
  });
}
