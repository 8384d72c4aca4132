import type { JoinOffer } from '#lib/contract/account.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';

/** What a link is for, said to whoever opens it. */
export function offerInWords({ kind, role, invited_by: by }: JoinOffer): { readonly title: string; readonly note: string } {
  const { name, may } = ROLE_WORDS[role];
  switch (kind) {
    case 'first_admin':
      return { title: 'Become the first admin', note: 'Nobody has joined this server yet. You will invite the others.' };
    case 'recovery':
      return { title: 'Come in again', note: `This link was made on the machine of the server. It makes you ${withArticle(name)}.` };
    case 'invitation':
      return { title: 'Join Switchboard', note: `${by ?? 'An admin'} invites you as ${withArticle(name)}. ${may}` };
  }
}

function withArticle(name: string): string {
  const word = name.toLowerCase();
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}
