/** Each role includes the previous one. lib/access lists the actions. */
export const ROLE_NAMES = ['viewer', 'operator', 'author', 'admin'] as const;
export type Role = (typeof ROLE_NAMES)[number];
