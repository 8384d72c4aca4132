import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/**
 * One server at a time uses a database: a second one would end the first one's running calls. The claim is a lock that
 * PostgreSQL keeps with a connection, so it ends with the process in any case. What can go wrong: the connection is lost
 * (it is claimed again as soon as the database answers); another server claimed it meanwhile (`isLost`).
 */
export interface PostgresClaim {
  isLost(): boolean;
  /** The connection is lost, and the database does not answer yet. */
  isAway(): boolean;
  release(): Promise<void>;
}

/** Any number that other programs do not use for their locks. */
const SERVER_LOCK = 7_327_160_272;
const AGAIN_MS = 500;

/** Null: another server holds it, for longer than `waitMs`. */
export async function claimDatabase(url: string, waitMs: number): Promise<PostgresClaim | null> {
  let client: pg.Client | null = null;
  let isLost = false;
  let isReleased = false;

  async function tryClaim(): Promise<boolean> {
    const fresh = new pg.Client({ connectionString: url, application_name: 'switchboard claim', keepAlive: true });
    fresh.on('error', () => undefined);
    try {
      await fresh.connect();
      const { rows } = await fresh.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [SERVER_LOCK]);
      if (rows[0]?.held === true) {
        client = fresh;
        fresh.once('end', () => void claimAgain());
        return true;
      }
    } catch (error) {
      await fresh.end().catch(() => undefined);
      throw error;
    }
    await fresh.end();
    return false;
  }

  async function claimAgain(): Promise<void> {
    client = null;
    while (!isReleased && client === null) {
      const held = await tryClaim().catch(() => null);
      isLost = held === false;
      if (held !== true) await delay(AGAIN_MS, undefined, { ref: false });
    }
  }

  const until = performance.now() + waitMs;
  while (!(await tryClaim())) {
    if (performance.now() > until) return null;
    await delay(AGAIN_MS);
  }
  return {
    isLost: () => isLost,
    isAway: () => client === null && !isLost && !isReleased,
    async release() {
      isReleased = true;
      await client?.end().catch(() => undefined);
    },
  };
}
