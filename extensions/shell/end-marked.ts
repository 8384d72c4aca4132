import { spawn } from 'node:child_process';

/** The variable that identifies all processes that a program started, in any process group or session. */
export const RUN_MARK = 'SWITCHBOARD_RUN';

/** Run by a shell: this extension may start programs, but not read `/proc`. A dying process has no environment, so a second check ends the loop. */
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

/** Settles when no process with this mark is left; immediately if the system does not show environments. */
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
