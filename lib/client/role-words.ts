import type { Role } from '#lib/contract/actions.ts';

export interface RoleWords {
  readonly name: string;
  readonly may: string;
  /** A warning before the role is assigned. */
  readonly warning: string | null;
}

const RUNS_CODE = 'This allows running any code on the machine of this server.';

export const ROLE_WORDS: Readonly<Record<Role, RoleWords>> = {
  viewer: { name: 'Viewer', may: 'Sees everything except secrets, and changes nothing.', warning: null },
  operator: { name: 'Operator', may: 'Sees everything, calls tools, sends messages and reviews failures.', warning: null },
  author: { name: 'Author', may: 'Can do everything an operator can, and writes, reloads and restarts extensions.', warning: RUNS_CODE },
  admin: {
    name: 'Admin',
    may: 'Can do everything, including managing members, tokens and settings, and erasing data.',
    warning: RUNS_CODE,
  },
};
