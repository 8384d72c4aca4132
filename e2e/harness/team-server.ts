import type { Browser, Page } from '@playwright/test';
import { invitedSchema, memberListSchema } from '#lib/contract/account.ts';
import { API } from '#lib/contract/paths.ts';
import type { Role } from '#lib/contract/actions.ts';
import type { TestServer } from './test-server.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';
import { expect } from './test.ts';

/** A member on a server with AUTH=team. */
export interface Somebody {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Cookie for requests outside of a browser. */
  readonly cookie: string;
}

const PASSWORD = 'long enough for the tests';

/** By the link that the server prints at its start. */
export async function foundTeam(server: TestServer, name: string): Promise<Somebody> {
  const secret = server.printed().flatMap((line) => /\/join#(\S+) to become/.exec(line)?.[1] ?? [])[0];
  if (secret === undefined) throw new Error('The server has printed no link for a first admin.');
  return join(server, secret, name);
}

/** By an invitation. */
export async function inviteTo(server: TestServer, admin: Somebody, name: string, role: Role): Promise<Somebody> {
  const answer = await ask(server, admin, 'POST', API.invitations, { role });
  const { link } = invitedSchema.parse(await answer.json());
  return join(server, link.split('#')[1] ?? '', name);
}

export function ask(server: TestServer, who: Somebody | null, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.address}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(who === null ? {} : { cookie: who.cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function join(server: TestServer, secret: string, name: string): Promise<Somebody> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
  const answer = await ask(server, null, 'POST', API.join, { secret, name, email, password: PASSWORD });
  if (!answer.ok) throw new Error(`${name} could not join: ${await answer.text()}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
  const known = { id: '', name, email, password: PASSWORD, cookie };
  const { members } = memberListSchema.parse(await (await ask(server, known, 'GET', API.members)).json());
  return { ...known, id: members.find((member) => member.name === name)?.id ?? '' };
}

/** A separate browser context, signed in through the page. */
export async function browserOf(
  browser: Browser,
  server: TestServer,
  who: Somebody,
): Promise<{ page: Page; watch: PageWatch; close(): Promise<void> }> {
  const context = await browser.newContext({ baseURL: server.address });
  const page = await context.newPage();
  const watch = await watchPage(page, server.address);
  await signIn(page, who);
  return {
    page,
    watch,
    async close() {
      expect(watch.findings(), `what the page of ${who.name} did beside what is seen`).toEqual([]);
      await context.close();
    },
  };
}

export async function signIn(page: Page, who: Somebody): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(who.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(who.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('navigation', { name: 'Main' }).first()).toBeVisible();
}
