import { ROLE_WORDS } from '#lib/client/role-words.ts';
import type { Token } from '#lib/contract/token.ts';

const FEW = 3;

/** "Calls any tool", "calls math_add and 2 more": what a token is for, in a few words. */
export function toolsInWords(tools: readonly string[] | null): string {
  if (tools === null) return 'any tool';
  if (tools.length <= FEW) return `only ${tools.join(', ')}`;
  return `only ${tools.slice(0, FEW - 1).join(', ')} and ${tools.length - FEW + 1} more`;
}

/** Why a token is worth less than it says, or nothing; null where all is as it was made. */
export function shortfallInWords({ state, role, effective_role: effective, owner }: Token): string | null {
  switch (state) {
    case 'revoked':
      return 'It was revoked and is refused.';
    case 'expired':
      return 'It has run out and is refused. Make another one.';
    case 'owner_inactive':
      return `${owner.name} is switched off, so it is refused.`;
    case 'active':
      return effective === null || effective === role
        ? null
        : `${owner.name} is ${ROLE_WORDS[effective].name.toLowerCase()} now, so it may no more than that.`;
  }
}
