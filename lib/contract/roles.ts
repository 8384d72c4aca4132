/** Each role may all that the one before it may, and some more. What that is stands in lib/access. */
export const ROLE_NAMES = ['viewer', 'operator', 'author', 'admin'] as const;
export type Role = (typeof ROLE_NAMES)[number];
