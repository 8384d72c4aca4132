import type { JoinOffer } from '#lib/contract/account.ts';
import type { Role } from '#lib/contract/actions.ts';

/** Kysely types of the tables of members (see lib/store/tables.ts); lib/store/account-repository.ts creates them. */

export interface MembersTable {
  id: string;
  name: string;
  name_key: string;
  email: string;
  email_verified: number;
  image: string | null;
  role: Role;
  active: number;
  sign_in: 'password' | 'oidc';
  last_seen_at: number | null;
  created_at: string;
  updated_at: string;
}

export interface MemberSessionsTable {
  id: string;
  token: string;
  member_id: string;
  ip_address: string | null;
  user_agent: string | null;
  used_at: number | null;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

export interface MemberCredentialsTable {
  id: string;
  member_id: string;
  provider_id: string;
  account_id: string;
  password: string | null;
  created_at: string;
  updated_at: string;
}

export interface SignInStatesTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
}

export interface JoinLinksTable {
  id: string;
  kind: JoinOffer['kind'];
  secret_hash: string;
  email: string | null;
  role: Role;
  invited_by: string | null;
  created_at: number;
  expires_at: number;
}

export interface AccountTables {
  members: MembersTable;
  member_sessions: MemberSessionsTable;
  member_credentials: MemberCredentialsTable;
  sign_in_states: SignInStatesTable;
  join_links: JoinLinksTable;
}
