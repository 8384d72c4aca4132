import type { Page } from '@playwright/test';
import type { TestServer } from './test-server.ts';
import { expect } from './expect.ts';

export interface NewMember {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Reads the link from the output of the server. */
export function firstAdminLink(server: TestServer): string {
  const [, link = ''] = /Open (\S+) to become the first admin/.exec(server.output().join('\n')) ?? [];
  return link;
}

export async function join(page: Page, { name, email, password }: NewMember): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await expect(page.getByRole('button', { name: `You are ${name}` })).toBeVisible();
}
