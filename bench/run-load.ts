import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './servers.ts';

/** Repeats one request, in a separate process. */
export interface LoadRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text that every answer must contain. */
  readonly expected: string;
}

export interface Load {
  readonly perSecond: number;
  readonly latencies: readonly number[];
  readonly wrong: number;
}

/** Warm-up time, until V8 has optimised hot code. */
export const WARM_UP_SECONDS = 6;

const runFile = promisify(execFile);

export async function runLoad({ url, body, expected, headers = {} }: LoadRequest, connections: number, seconds: number): Promise<Load> {
  const generator = path.join(ROOT, 'bench', 'load-generator.mjs');
  const args = [generator, url, String(connections), String(seconds), body, expected, JSON.stringify(headers)];
  const { stdout } = await runFile(process.execPath, args, { maxBuffer: 64 * 1_048_576 });
  return JSON.parse(stdout);
}
