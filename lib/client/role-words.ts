import type { Role } from '#lib/contract/roles.ts';

export interface RoleWords {
  readonly name: string;
  readonly may: string;
  /** What has to be said plainly before it is given. */
  readonly warning: string | null;
}

const RUNS_CODE = 'This equals running any code on the machine of this server.';

export const ROLE_WORDS: Readonly<Record<Role, RoleWords>> = {
  viewer: { name: 'Viewer', may: 'Sees everything with secrets left out, and changes nothing.', warning: null },
  operator: { name: 'Operator', may: 'Also calls tools, sends messages and reviews failures.', warning: null },
  author: { name: 'Author', may: 'Also writes, reloads and restarts extensions.', warning: RUNS_CODE },
  admin: { name: 'Admin', may: 'Also manages members, tokens and settings, and erases.', warning: RUNS_CODE },
};
