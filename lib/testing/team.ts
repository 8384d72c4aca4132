import { afterAll, beforeAll } from 'vitest';
import type { SessionView } from '#lib/contract/account.ts';
import { type Role, ROLE_NAMES } from '#lib/contract/actions.ts';
import type { TeamSettings } from '#lib/accounts/accounts.ts';
import type { Host } from '#lib/host/host.ts';
import { type LivingHost, must, startHost } from './living-host.ts';
import { type ServedHost, serveHost } from './serve-host.ts';
import { type Visit, visit } from './visit.ts';

/** `startHost(files, { team: TEAM })`: a host with accounts on loopback, with its own secret. */
export const TEAM: TeamSettings = { secret: '0123456789abcdef-of-the-tests-only', publicUrl: null, oidc: null };

/** A signed-in member. */
export interface Teammate {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly role: Role;
  /** The `Cookie` header of their browser. */
  readonly cookie: string;
}

export type Team = Readonly<Record<Role, Teammate>>;

const CALLER = { address: '127.0.0.1', network: '127.0.0.1', origin: 'http://localhost' };
const NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Vera Viewer',
  operator: 'Otto Operator',
  author: 'Anna Author',
  admin: 'Ada Admin',
};

/** One member of each role: the first admin with the link of the server, the others with invitations. */
export async function makeTeam(host: Host): Promise<Team> {
  const admin = await founder(host);
  const others = await Promise.all(ROLE_NAMES.filter((role) => role !== 'admin').map(async (role) => await invited(host, admin, role)));
  const [viewer = admin, operator = admin, author = admin] = others;
  return { viewer, operator, author, admin };
}

/** The first admin. */
export async function founder(host: Host): Promise<Teammate> {
  const link = (await host.accounts?.joining.firstAdminLink(CALLER.origin)) ?? '';
  return await join(host, link, NAMES.admin, 'admin');
}

/** Another member. */
export async function invited(host: Host, by: Teammate, role: Role, name: string = NAMES[role]): Promise<Teammate> {
  const { accounts } = host;
  const member = await accounts?.memberOf(by.cookie);
  if (accounts === null || member === null || member === undefined) throw new Error('The inviting member has no session.');
  const made = must(await accounts.invitations.invite({ email: null, role }, member, CALLER));
  return await join(host, made.link, name, role);
}

async function join(host: Host, link: string, name: string, role: Role): Promise<Teammate> {
  const { accounts } = host;
  if (accounts === null) throw new Error('Ttheir host has no accounts; start it with { team: TEAM }.');
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
  const password = `${role} keeps their one long`;
  const secret = link.split('#')[1] ?? '';
  const { view, cookies } = must(await accounts.joining.join({ secret, name, email, password }, null, CALLER));
  return { id: idOf(view), name, email, password, role, cookie: cookieOf(cookies) };
}

/** The `Cookie` header for these `Set-Cookie` headers. */
export function cookieOf(setCookies: readonly string[]): string {
  return setCookies.map((cookie) => cookie.split(';', 1)[0]).join('; ');
}

function idOf({ person }: SessionView): string {
  if (person === null) throw new Error('Nobody is signed in.');
  return person.id;
}

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
