import type { AccountTables } from './account-store.ts';
import type { AuditEntriesTable } from './audit-repository.ts';
import type { CallPayloadsTable, CallSearchTable, CallsTable } from './call-rows.ts';
import type { ChannelMessagesTable, ChannelSettingsTable } from './channel-repository.ts';
import type { CountersTable } from './counters.ts';
import type { ExtensionsTable } from './extension-repository.ts';
import type { FailureTables } from './failure-columns.ts';
import type { IdempotencyKeysTable } from './idempotency-repository.ts';
import type { MigrationsTable } from './migrations.ts';
import type { OAuthClientsTable, OAuthGrantsTable, OAuthTokensTable } from './oauth-repository.ts';
import type {
  AttemptsTable,
  InstanceExtensionsTable,
  InstancesTable,
  LeasesTable,
  PeerRequestsTable,
} from './postgres/postgres-instances.ts';
import type { SharedEventsTable } from './postgres/postgres-events.ts';
import type { FileConflictsTable, FileContentsTable, SharedFilesTable } from './postgres/postgres-files.ts';
import type { CallBlocksTable } from './postgres/call-blocks.ts';
import type { CallWordsTable } from './postgres/postgres-search.ts';
import type { RevisionsTable } from './revision-repository.ts';
import type { SavedCallsTable } from './saved-call-repository.ts';
import type { SecretsTable } from './secret-repository.ts';
import type { ServerSignInsTable } from './server-sign-in-repository.ts';
import type { SnapshotPartsTable } from './snapshot-parts.ts';
import type { SnapshotExtensionsTable, SnapshotsTable } from './snapshot-repository.ts';
import type { ApiTokensTable } from './token-repository.ts';
import type { ToolsetsTable } from './toolset-repository.ts';

/**
 * The tables for Kysely. Times are epoch milliseconds where rows are ordered or compared by them, ISO text elsewhere;
 * booleans are 0 or 1; `*_json` is JSON text. The tables are STRICT, so a column holds the type declared here.
 */

export type Bit = 0 | 1;

export interface Tables extends AccountTables, FailureTables {
  calls: CallsTable;
  call_payloads: CallPayloadsTable;
  call_search: CallSearchTable;
  call_words: CallWordsTable;
  call_blocks: CallBlocksTable;
  revisions: RevisionsTable;
  extensions: ExtensionsTable;
  snapshots: SnapshotsTable;
  snapshot_extensions: SnapshotExtensionsTable;
  snapshot_parts: SnapshotPartsTable;
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
