import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './servers.ts';

/** One request over and over, from a process of its own. */
export interface LoadRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What each answer must hold. */
  readonly expected: string;
}

export interface Load {
  readonly perSecond: number;
  readonly latencies: readonly number[];
  readonly wrong: number;
}

/** A server that runs for days is not what it is in its first seconds, before V8 has compiled what is hot: so long it is warmed. */
export const WARM_UP_SECONDS = 6;

const runFile = promisify(execFile);

export async function runLoad({ url, body, expected, headers = {} }: LoadRequest, connections: number, seconds: number): Promise<Load> {
  const generator = path.join(ROOT, 'bench', 'load-generator.mjs');
  const args = [generator, url, String(connections), String(seconds), body, expected, JSON.stringify(headers)];
  const { stdout } = await runFile(process.execPath, args, { maxBuffer: 64 * 1_048_576 });
  return JSON.parse(stdout);
}
