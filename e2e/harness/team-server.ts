import type { Browser, Page } from '@playwright/test';
import { invitedSchema, memberListSchema } from '#lib/contract/account.ts';
import { API } from '#lib/contract/paths.ts';
import type { Role } from '#lib/contract/actions.ts';
import type { TestServer } from './test-server.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';
import { expect } from './test.ts';

/** A member on a server with AUTH=team. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Session cookie for requests without a browser. */
  readonly cookie: string;
}

const PASSWORD = 'long enough for the tests';

/** Joins with the link in the output of the server. */
export async function createFirstAdmin(server: TestServer, name: string): Promise<Member> {
  const secret = server.output().flatMap((line) => /\/join#(\S+) to become/.exec(line)?.[1] ?? [])[0];
  if (secret === undefined) throw new Error('The output of the server has no link for a first admin.');
  return join(server, secret, name);
}

/** Joins with an invitation. */
export async function inviteMember(server: TestServer, admin: Member, name: string, role: Role): Promise<Member> {
  const answer = await requestAs(server, admin, 'POST', API.invitations, { role });
  const { link } = invitedSchema.parse(await answer.json());
  return join(server, link.split('#')[1] ?? '', name);
}

export function requestAs(server: TestServer, who: Member | null, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${server.address}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(who === null ? {} : { cookie: who.cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function join(server: TestServer, secret: string, name: string): Promise<Member> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
  const answer = await requestAs(server, null, 'POST', API.join, { secret, name, email, password: PASSWORD });
  if (!answer.ok) throw new Error(`${name} could not join: ${await answer.text()}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
  const member = { id: '', name, email, password: PASSWORD, cookie };
  const { members } = memberListSchema.parse(await (await requestAs(server, member, 'GET', API.members)).json());
  return { ...member, id: members.find((each) => each.name === name)?.id ?? '' };
}

/** Opens a separate browser context and signs in. */
export async function openBrowserAs(
  browser: Browser,
  server: TestServer,
  who: Member,
): Promise<{ page: Page; watch: PageWatch; close(): Promise<void> }> {
  const context = await browser.newContext({ baseURL: server.address });
  const page = await context.newPage();
  const watch = await watchPage(page, server.address);
  await signIn(page, who);
  return {
    page,
    watch,
    async close() {
      expect(watch.problems(), `unexpected problems of the page of ${who.name}`).toEqual([]);
      await context.close();
    },
  };
}

export async function signIn(page: Page, who: Member): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(who.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(who.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('navigation', { name: 'Main' }).first()).toBeVisible();
}
