import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';
import type { CallSource, CallStatus } from '#lib/contract/call.ts';
import type { Message } from '#lib/contract/channel.ts';
import type { Role } from '#lib/contract/roles.ts';
import type { Generated, GeneratedAlways, Selectable } from 'kysely';
import type { AccountTables } from './account-columns.ts';
import type { FailureTables } from './failure-columns.ts';
import type { OAuthTokenKind } from './oauth-store.ts';
import type { SharedEventsTable } from './postgres/postgres-events.ts';
import type { AttemptsTable } from './postgres/postgres-attempts.ts';
import type { FileConflictsTable, FileContentsTable, SharedFilesTable } from './postgres/postgres-files.ts';
import type { InstanceExtensionsTable, InstancesTable, LeasesTable, PeerRequestsTable } from './postgres/postgres-instances.ts';
import type { RevisionOutcome } from './store.ts';

/**
 * The tables for Kysely. Times are epoch milliseconds where rows are ordered or compared by them, ISO text elsewhere;
 * booleans are 0 or 1; `*_json` is JSON text. The tables are STRICT, so a column holds the type declared here.
 */

export type Bit = 0 | 1;

export interface CallsTable {
  /** Order of arrival; the tie-break among calls of one millisecond, and the key of the search index. */
  seq: Generated<number>;
  id: string;
  tool: string;
  extension: string;
  revision: number | null;
  snapshot_version: number;
  source: CallSource;
  actor: string | null;
  status: CallStatus;
  started_at: number;
  finished_at: number | null;
  duration_us: number | null;
  replay_of: string | null;
  /** The server that ran it; null for calls of older versions. */
  instance: string | null;
  redacted_json: string | null;
  progress_json: string | null;
  logs_truncated: Bit;
  /** The value in lists: at most LIMITS.listValueBytes; the full value is in call_payloads when `*_cut` is 1. */
  arguments_json: string;
  arguments_cut: Bit;
  result_json: string | null;
  result_cut: Bit;
  error_json: string | null;
  error_cut: Bit;
  /** Extracted from `error_json` by the database. */
  error_kind: GeneratedAlways<string | null>;
  logs_json: string | null;
  logs_cut: Bit;
}

/**
 * The full values that were cut in `calls`, so that lists never read large values. A column is null when its value was
 * not cut.
 */
export interface CallPayloadsTable {
  call_id: string;
  arguments_json: string | null;
  result_json: string | null;
  error_json: string | null;
  logs_json: string | null;
}

/**
 * FTS5, contentless: words only. `rowid` is `calls.seq`; the column named like the table is what MATCH and rank use.
 */
export interface CallSearchTable {
  rowid: number;
  text: string;
  call_search: string;
}

/** PostgreSQL only: the words of a call. */
export interface CallWordsTable {
  seq: number;
  words: string;
  /** The call had ended when it was indexed. */
  is_final: Bit;
}

export interface RevisionsTable {
  extension: string;
  revision: number;
  /** Increases with each attempt, per extension; the highest was tried last. */
  tried: number;
  content_hash: string;
  created_at: string;
  trigger: string;
  actor: string | null;
  outcome: RevisionOutcome;
  description_json: string | null;
  build_json: string | null;
  sources_json: string;
  runnable: Bit;
  failure_id: string | null;
}

export interface ExtensionsTable {
  extension: string;
  disabled: Bit;
  pinned_revision: number | null;
  revision: number | null;
  serving_revision: number | null;
  rolled_back_from: number | null;
  loaded_at: string | null;
  keep_alive: Bit | null;
}

export interface ChannelMessagesTable {
  /** Order of arrival. */
  seq: Generated<number>;
  id: string;
  channel: string;
  direction: Message['direction'];
  text: string;
  sender: string;
  recipient: string | null;
  metadata_json: string;
  state: Message['state'];
  error: string | null;
  attempts: number;
  call_id: string | null;
  reply_to: string | null;
  injected: Bit;
  created_at: number;
  /** Order of sending among queued messages; a requeued one goes to the end. */
  queue_order: number;
  /** A send began and has not ended. */
  is_sending: Bit;
  /** A send began and its result is unknown. */
  in_doubt: Bit;
  /** A command whose reply is not stored yet. */
  awaits_reply: Generated<Bit>;
  /** Of an inbound message, from its channel. */
  idempotency_key: string | null;
}

export interface ChannelSettingsTable {
  channel: string;
  commands_json: string;
}

export interface SnapshotsTable {
  version: number;
  digest: string;
  record_json: string;
}

/** The extensions changed by a version. */
export interface SnapshotExtensionsTable {
  extension: string;
  version: number;
}

export interface IdempotencyKeysTable {
  key: string;
  request_hash: string;
  call_id: string;
  created_at: number;
}

export interface SavedCallsTable {
  id: string;
  tool: string;
  name: string;
  arguments_json: string;
  left_out_json: string;
  timeout_ms: number | null;
  expectation_json: string | null;
  required: number;
  last_run_json: string | null;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

export interface ServerSignInsTable {
  server: string;
  member: string;
  sealed: string;
  state: string | null;
  connected_by: string | null;
  connected_at: number | null;
  claimed_until: number;
  updated_at: number;
}

export interface OAuthClientsTable {
  id: string;
  name: string;
  uri: string | null;
  redirect_uris_json: string;
  created_at: number;
  used_at: number | null;
}

export interface OAuthGrantsTable {
  id: string;
  member_id: string;
  client_id: string;
  client_name: string;
  client_host: string | null;
  role: Role;
  scopes_json: string;
  /** Null: any tool. */
  tools_json: string | null;
  resource: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface OAuthTokensTable {
  hash: string;
  grant_id: string;
  kind: OAuthTokenKind;
  expires_at: number;
  used_at: number | null;
  redirect_uri: string | null;
  challenge: string | null;
}

export interface ApiTokensTable {
  id: string;
  hash: string;
  prefix: string;
  name: string;
  owner_id: string;
  role: Role;
  /** Null: any tool. */
  tools_json: string | null;
  /** Null: not limited to one. */
  toolset: string | null;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface ToolsetsTable {
  name: string;
  toolset_json: string;
  updated_at: string;
  updated_by: string | null;
}

export interface SecretsTable {
  name: string;
  sealed: string;
  updated_at: string;
  updated_by: string | null;
}

/** The database refuses to change or remove a row. */
export interface AuditEntriesTable {
  /** Order of arrival. */
  seq: Generated<number>;
  id: string;
  at: number;
  actor_kind: AuditActorKind;
  actor_id: string | null;
  actor_name: string;
  action: string;
  target: string | null;
  outcome: AuditOutcome;
  address: string | null;
  detail_json: string;
}

/** Named counters that survive a restart. */
export interface CountersTable {
  name: 'event_ids' | 'search_watermark' | 'search_unmarked' | 'search_old';
  value: number;
}

export interface MigrationsTable {
  name: string;
  applied_at: string;
}

export interface Tables extends AccountTables, FailureTables {
  calls: CallsTable;
  call_payloads: CallPayloadsTable;
  call_search: CallSearchTable;
  call_words: CallWordsTable;
  revisions: RevisionsTable;
  extensions: ExtensionsTable;
  snapshots: SnapshotsTable;
  snapshot_extensions: SnapshotExtensionsTable;
  channel_messages: ChannelMessagesTable;
  channel_settings: ChannelSettingsTable;
  idempotency_keys: IdempotencyKeysTable;
  saved_calls: SavedCallsTable;
  api_tokens: ApiTokensTable;
  server_sign_ins: ServerSignInsTable;
  oauth_clients: OAuthClientsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_tokens: OAuthTokensTable;
  secrets: SecretsTable;
  toolsets: ToolsetsTable;
  audit_entries: AuditEntriesTable;
  counters: CountersTable;
  instances: InstancesTable;
  instance_extensions: InstanceExtensionsTable;
  leases: LeasesTable;
  attempts: AttemptsTable;
  peer_requests: PeerRequestsTable;
  shared_events: SharedEventsTable;
  shared_files: SharedFilesTable;
  file_contents: FileContentsTable;
  file_conflicts: FileConflictsTable;
  switchboard_migrations: MigrationsTable;
}

export type CallsRow = Selectable<CallsTable>;
