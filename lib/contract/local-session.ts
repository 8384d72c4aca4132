import type { SessionView } from './account.ts';

/** Without accounts nobody signs in, and everything is offered. */
export const LOCAL_SESSION: SessionView = {
  mode: 'local',
  person: null,
  may: [],
  sign_in: { password: false, oidc: null },
  needs_first_admin: false,
};
