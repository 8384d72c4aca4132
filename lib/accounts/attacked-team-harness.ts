import { afterAll, beforeAll } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { founder, TEAM } from '#lib/testing/team.ts';
import type { Teammate } from '#lib/testing/team.ts';
import { visit } from '#lib/testing/visit.ts';
import type { Visit } from '#lib/testing/visit.ts';

/** A team server behind a trusted proxy, with its first admin, and requests from many addresses. */
export let living: LivingHost;
export let served: ServedHost;
export let admin: Teammate;
let clients = 0;

/** Call it at the top of a test file: files in one process share this module, and each needs its own server. */
export function startAttackedTeam(): void {
  beforeAll(async () => {
    living = await startHost({}, { team: TEAM, trustedProxies: ['127.0.0.1'], adminToken: 'the admin token of this server' });
    served = await serveHost(living.host);
    admin = await founder(living.host);
  });
  afterAll(async () => {
    await served.close();
    await living.remove();
  });
}

/** A new address each time, so that tests do not share rate limits. */
export function ask(path: string, asked: Visit = {}) {
  clients += 1;
  return visit(served.url + path, { from: `10.${clients >> 8}.${clients & 255}.1`, ...asked });
}

export const signIn = (email: string, password: string, more: Visit = {}) =>
  ask('/api/v1/session', { method: 'POST', body: { email, password }, ...more });

export const may = async (cookie: string) => (await ask('/api/v1/extensions', { cookie })).status;
