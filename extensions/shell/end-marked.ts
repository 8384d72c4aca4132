import { spawn } from 'node:child_process';

/** The variable by which all that a program has started is known, whatever group or session it has gone to. */
export const RUN_MARK = 'SWITCHBOARD_RUN';

/** By a shell: this extension may start programs, and not read `/proc`. What dies has no environment any more, so a second look ends the loop. */
const SWEEP = `
round=0
while [ "$round" -lt 20 ]; do
  found=
  for file in $(grep -lsF -- "${RUN_MARK}=$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" && found=1
  done
  [ -z "$found" ] && exit 0
  round=$((round + 1))
done
`;

/** Settles when nothing that bears this mark is left; at once where the system does not show marks. */
export function endMarked(mark: string): Promise<void> {
  if (process.platform !== 'linux') return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  try {
    const sweep = spawn('/bin/sh', ['-c', SWEEP, 'sh', mark], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
      stdio: 'ignore',
    });
    sweep.once('error', () => resolve());
    sweep.once('close', () => resolve());
  } catch {
    resolve();
  }
  return promise;
}
