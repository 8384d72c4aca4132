import type { Compilable } from 'kysely';
import { accountTables } from './account-repository.ts';
import { auditTables } from './audit-repository.ts';
import {
  callHistory,
  callInstances,
  callsByInstance,
  callJournal,
  callRecords,
  callSearch,
  callTables,
  replayIndex,
  searchLetters,
  searchMarks,
  searchMerges,
  searchRemovals,
  unsuccessfulCalls,
  unsuccessfulCallsWithoutList,
} from './call-rows.ts';
import { counterTables } from './counters.ts';
import { extensionTables, rolledBackFrom } from './extension-repository.ts';
import { failureInstances, failureTables } from './failure-columns.ts';
import { revisionActors, revisionTables } from './revision-repository.ts';
import { snapshotParts } from './snapshot-parts.ts';
import { snapshotTables } from './snapshot-repository.ts';
import { failureMemberTables, failureReviewTables } from './failure-review-tables.ts';
import { idempotencyInstances, idempotencyTables } from './idempotency-repository.ts';
import { lastHourByExtensionIndex, lastHourIndex } from './call-statistics.ts';
import type { Db } from './database.ts';
import type { Dialect } from './dialect.ts';
import { sharedEventTables } from './postgres/postgres-events.ts';
import { attemptTables, instanceKeys, instanceTables, localFiles } from './postgres/postgres-instances.ts';
import { fileAuthors, sharedFileTables } from './postgres/postgres-files.ts';
import { callBlocks } from './postgres/call-blocks.ts';
import { callWords, runningCallWords } from './postgres/postgres-search.ts';
import { channelTables, messageKeys, unansweredCommands } from './channel-repository.ts';
import { oauthTables } from './oauth-repository.ts';
import { retentionTables } from './retention.ts';
import { requiredChecks, savedCallTables } from './saved-call-repository.ts';
import { serverSignInTables } from './server-sign-in-repository.ts';
import { secretTables } from './secret-repository.ts';
import { tokenTables } from './token-repository.ts';
import { toolsetTables } from './toolset-repository.ts';

/** One step of the schema. A released step is never edited; a change is a new step at the end of the list. */
export interface Migration {
  readonly name: string;
  /** Where it applies; both without it. PostgreSQL begins with the tables as they are, so it needs no step for old rows. */
  readonly on?: Dialect['name'];
  statements(db: Db, on: Dialect['name']): readonly Compilable[];
}

export interface MigrationsTable {
  name: string;
  applied_at: string;
}

/** Those of one database, in order. */
export function migrationsOf(name: Dialect['name']): readonly Migration[] {
  return MIGRATIONS.filter(({ on }) => on === undefined || on === name);
}

const MIGRATIONS: readonly Migration[] = [
  { name: '0001_calls', statements: (db) => [...callTables(db), ...counterTables(db)] },
  { name: '0002_call_search', on: 'sqlite', statements: callSearch },
  { name: '0003_extensions', statements: (db) => [...extensionTables(db), ...revisionTables(db), ...snapshotTables(db)] },
  { name: '0004_failures', statements: failureTables },
  { name: '0005_channels', statements: channelTables },
  { name: '0005_failure_review', statements: failureReviewTables },
  { name: '0006_idempotency_keys', statements: idempotencyTables },
  { name: '0007_saved_calls', statements: savedCallTables },
  { name: '0008_call_history', statements: callHistory },
  { name: '0009_last_hour', statements: lastHourIndex },
  { name: '0009_required_checks', statements: requiredChecks },
  { name: '0010_search_marks', on: 'sqlite', statements: searchMarks },
  { name: '0012_tokens', statements: tokenTables },
  { name: '0013_audit', statements: auditTables },
  { name: '0014_accounts', statements: accountTables },
  { name: '0015_failure_members', statements: failureMemberTables },
  { name: '0016_call_journal', on: 'sqlite', statements: callJournal },
  { name: '0017_replay_index', statements: replayIndex },
  { name: '0018_call_records', on: 'sqlite', statements: callRecords },
  { name: '0019_last_hour_by_extension', statements: lastHourByExtensionIndex },
  { name: '0020_revision_actor', statements: revisionActors },
  { name: '0021_rolled_back_from', statements: rolledBackFrom },
  { name: '0022_search_letters', on: 'sqlite', statements: searchLetters },
  // import-journal.ts imports the journal files. An older version would look for them there.
  { name: '0023_calls_without_journal', on: 'sqlite', statements: () => [] },
  { name: '0024_search_merges', on: 'sqlite', statements: searchMerges },
  { name: '0025_retention', statements: retentionTables },
  { name: '0026_search_removals', on: 'sqlite', statements: searchRemovals },
  { name: '0027_call_words', on: 'postgres', statements: callWords },
  { name: '0030_call_instance', statements: callInstances },
  { name: '0031_instances', on: 'postgres', statements: instanceTables },
  { name: '0032_shared_events', on: 'postgres', statements: sharedEventTables },
  { name: '0050_secrets', statements: secretTables },
  { name: '0051_toolsets', statements: toolsetTables },
  { name: '0060_oauth', statements: oauthTables },
  { name: '0070_unanswered_commands', statements: unansweredCommands },
  { name: '0071_attempts', on: 'postgres', statements: attemptTables },
  { name: '0072_instance_keys', on: 'postgres', statements: instanceKeys },
  { name: '0033_shared_files', on: 'postgres', statements: sharedFileTables },
  { name: '0034_failure_instance', statements: failureInstances },
  { name: '0061_server_sign_ins', statements: serverSignInTables },
  { name: '0035_running_call_words', on: 'postgres', statements: runningCallWords },
  { name: '0073_file_authors', on: 'postgres', statements: fileAuthors },
  { name: '0074_local_files', on: 'postgres', statements: localFiles },
  { name: '0075_message_keys', statements: messageKeys },
  { name: '0076_keep_alive', statements: (db) => [db.schema.alterTable('extensions').addColumn('keep_alive', 'integer')] },
  { name: '0077_snapshot_parts', statements: snapshotParts },
  { name: '0078_idempotency_instances', statements: idempotencyInstances },
  { name: '0079_call_blocks', on: 'postgres', statements: callBlocks },
  { name: '0080_calls_by_instance', statements: callsByInstance },
  { name: '0081_unsuccessful_calls', statements: unsuccessfulCalls },
  { name: '0082_unsuccessful_calls_without_list', on: 'sqlite', statements: unsuccessfulCallsWithoutList },
];
