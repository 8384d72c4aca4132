import type { SessionView } from '#lib/contract/account.ts';
import { ROLE_NAMES } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/actions.ts';
import type { TeamSettings } from '#lib/accounts/accounts.ts';
import type { Host } from '#lib/host/host.ts';
import { must } from './living-host.ts';

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
