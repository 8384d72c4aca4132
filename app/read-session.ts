import type { Metadata } from 'next';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import type { SessionView } from '#lib/contract/account.ts';
import { currentHost, currentPrincipal } from '#lib/host/current-host.ts';

export function readSession(): SessionView {
  const { accounts } = currentHost();
  return accounts === null ? LOCAL_SESSION : accounts.view(currentPrincipal() ?? { kind: 'stranger' });
}

/** The title of a page that exists only with accounts. */
export function titleWithAccounts(title: string): Metadata {
  return { title: currentHost().accounts === null ? 'Not found' : title };
}
