import type { SessionView } from './account.ts';

/** Session without accounts: every action is available. */
export const LOCAL_SESSION: SessionView = {
  mode: 'local',
  person: null,
  may: [],
  sign_in: { password: false, oidc: null },
  needs_first_admin: false,
};
