import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import { accountTables } from './account-repository.ts';
import { auditTables } from './audit-repository.ts';
import {
  callHistory,
  callJournal,
  callRecords,
  replayIndex,
  searchLetters,
  searchMarks,
  searchMerges,
  searchRemovals,
} from './call-rows.ts';
import { failureMemberTables, failureReviewTables } from './failure-review-tables.ts';
import { idempotencyTables } from './idempotency-repository.ts';
import { lastHourByExtensionIndex, lastHourIndex } from './last-hour-counts.ts';
import type { Db } from './database.ts';
import type { Dialect } from './dialect.ts';
import { sharedEventTables } from './postgres/postgres-events.ts';
import { attemptTables } from './postgres/postgres-attempts.ts';
import { fileAuthors, sharedFileTables } from './postgres/postgres-files.ts';
import { instanceKeys, instanceTables, localFiles } from './postgres/postgres-instances.ts';
import { callWords, runningCallWords } from './postgres/postgres-search.ts';
import { messageKeys, unansweredCommands } from './channel-repository.ts';
import { oauthTables } from './oauth-repository.ts';
import { retentionTables } from './retention.ts';
import { requiredChecks, savedCallTables } from './saved-call-repository.ts';
import { serverSignInTables } from './server-sign-in-repository.ts';
import { secretTables } from './secret-repository.ts';
import { strict } from './strict-table.ts';
import { tokenTables } from './token-repository.ts';
import { toolsetTables } from './toolset-repository.ts';

/** One step of the schema. A released step is never edited; a change is a new step at the end of the list. */
export interface Migration {
  readonly name: string;
  /** Where it applies; both without it. PostgreSQL begins with the tables as they are, so it needs no step for old rows. */
  readonly on?: Dialect['name'];
  statements(db: Db, on: Dialect['name']): readonly Compilable[];
}

/** Those of one database, in order. */
export function migrationsOf(name: Dialect['name']): readonly Migration[] {
  return MIGRATIONS.filter(({ on }) => on === undefined || on === name);
}

const MIGRATIONS: readonly Migration[] = [
  { name: '0001_calls', statements: callTables },
  { name: '0002_call_search', on: 'sqlite', statements: callSearch },
  { name: '0003_extensions', statements: extensionTables },
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
  { name: '0020_revision_actor', statements: (db) => [db.schema.alterTable('revisions').addColumn('actor', 'text')] },
  { name: '0021_rolled_back_from', statements: rolledBackFrom },
  { name: '0022_search_letters', on: 'sqlite', statements: searchLetters },
  // import-journal.ts imports the journal files. An older version would look for them there.
  { name: '0023_calls_without_journal', on: 'sqlite', statements: () => [] },
  { name: '0024_search_merges', on: 'sqlite', statements: searchMerges },
  { name: '0025_retention', statements: retentionTables },
  { name: '0026_search_removals', on: 'sqlite', statements: searchRemovals },
  { name: '0027_call_words', on: 'postgres', statements: callWords },
  { name: '0030_call_instance', statements: (db) => [db.schema.alterTable('calls').addColumn('instance', 'text')] },
  { name: '0031_instances', on: 'postgres', statements: instanceTables },
  { name: '0032_shared_events', on: 'postgres', statements: sharedEventTables },
  { name: '0050_secrets', statements: secretTables },
  { name: '0051_toolsets', statements: toolsetTables },
  { name: '0060_oauth', statements: oauthTables },
  { name: '0070_unanswered_commands', statements: unansweredCommands },
  { name: '0071_attempts', on: 'postgres', statements: attemptTables },
  { name: '0072_instance_keys', on: 'postgres', statements: instanceKeys },
  { name: '0033_shared_files', on: 'postgres', statements: sharedFileTables },
  { name: '0034_failure_instance', statements: (db) => [db.schema.alterTable('failures').addColumn('instance', 'text')] },
  { name: '0061_server_sign_ins', statements: serverSignInTables },
  { name: '0035_running_call_words', on: 'postgres', statements: runningCallWords },
  { name: '0073_file_authors', on: 'postgres', statements: fileAuthors },
  { name: '0074_local_files', on: 'postgres', statements: localFiles },
  { name: '0075_message_keys', statements: messageKeys },
  { name: '0076_keep_alive', statements: (db) => [db.schema.alterTable('extensions').addColumn('keep_alive', 'integer')] },
];

function callTables(db: Db): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('calls')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('tool', 'text', (c) => c.notNull())
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer')
        .addColumn('snapshot_version', 'integer', (c) => c.notNull())
        .addColumn('source', 'text', (c) => c.notNull())
        .addColumn('actor', 'text')
        .addColumn('status', 'text', (c) => c.notNull())
        .addColumn('started_at', 'integer', (c) => c.notNull())
        .addColumn('finished_at', 'integer')
        .addColumn('duration_us', 'integer')
        .addColumn('replay_of', 'text')
        .addColumn('redacted_json', 'text')
        .addColumn('progress_json', 'text')
        .addColumn('logs_truncated', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('arguments_json', 'text', (c) => c.notNull())
        .addColumn('arguments_cut', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('result_json', 'text')
        .addColumn('result_cut', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('error_json', 'text')
        .addColumn('error_cut', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('logs_json', 'text')
        .addColumn('logs_cut', 'integer', (c) => c.notNull().defaultTo(0)),
    ),
    db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'seq']),
    db.schema.createIndex('calls_by_tool').on('calls').columns(['tool', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_extension').on('calls').columns(['extension', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_status').on('calls').columns(['status', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_source').on('calls').columns(['source', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_actor').on('calls').columns(['actor', 'started_at', 'seq']).where(sql.ref('actor'), 'is not', null),
    strict(
      db.schema
        .createTable('call_payloads')
        .addColumn('call_id', 'text', (c) => c.notNull().primaryKey().references('calls.id').onDelete('cascade'))
        .addColumn('arguments_json', 'text')
        .addColumn('result_json', 'text')
        .addColumn('error_json', 'text')
        .addColumn('logs_json', 'text'),
    ),
    strict(
      db.schema
        .createTable('counters')
        .addColumn('name', 'text', (c) => c.notNull().primaryKey())
        .addColumn('value', 'integer', (c) => c.notNull()),
    ),
    db.insertInto('counters').values([
      { name: 'event_ids', value: 1 },
      { name: 'search_watermark', value: 0 },
    ]),
  ];
}

/** Until then, a serving revision older than the newest loaded one meant a rollback. */
function rolledBackFrom(db: Db): readonly Compilable[] {
  const known = sql`update extensions set rolled_back_from = revision
    where pinned_revision is null and serving_revision <> revision and exists (
      select 1 from revisions where revisions.extension = extensions.extension
        and revisions.revision = extensions.revision and revisions.outcome = 'loaded')`;
  return [db.schema.alterTable('extensions').addColumn('rolled_back_from', 'integer'), { compile: () => known.compile(db) }];
}

function callSearch(db: Db): readonly Compilable[] {
  const table = sql`create virtual table call_search using fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3')`;
  return [{ compile: () => table.compile(db) }];
}

function extensionTables(db: Db): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('extensions')
        .addColumn('extension', 'text', (c) => c.notNull().primaryKey())
        .addColumn('disabled', 'integer', (c) => c.notNull())
        .addColumn('pinned_revision', 'integer')
        .addColumn('revision', 'integer')
        .addColumn('serving_revision', 'integer')
        .addColumn('loaded_at', 'text'),
    ),
    strict(
      db.schema
        .createTable('revisions')
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer', (c) => c.notNull())
        .addColumn('tried', 'integer', (c) => c.notNull())
        .addColumn('content_hash', 'text', (c) => c.notNull())
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('trigger', 'text', (c) => c.notNull())
        .addColumn('outcome', 'text', (c) => c.notNull())
        .addColumn('description_json', 'text')
        .addColumn('build_json', 'text')
        .addColumn('runnable', 'integer', (c) => c.notNull())
        .addColumn('failure_id', 'text')
        .addColumn('sources_json', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('revisions_key', ['extension', 'revision'])
        .addUniqueConstraint('revisions_content', ['extension', 'content_hash']),
    ),
    db.schema.createIndex('revisions_by_try').on('revisions').columns(['extension', 'tried']),
    strict(
      db.schema
        .createTable('snapshots')
        .addColumn('version', 'integer', (c) => c.primaryKey())
        .addColumn('digest', 'text', (c) => c.notNull())
        .addColumn('record_json', 'text', (c) => c.notNull()),
    ),
  ];
}

function failureTables(db: Db): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('failure_groups')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('fingerprint', 'text', (c) => c.notNull())
        .addColumn('title', 'text', (c) => c.notNull())
        .addColumn('stage', 'text', (c) => c.notNull())
        .addColumn('code', 'text', (c) => c.notNull())
        .addColumn('status', 'text', (c) => c.notNull())
        .addColumn('regression', 'integer', (c) => c.notNull())
        .addColumn('count', 'integer', (c) => c.notNull())
        .addColumn('first_seen', 'text', (c) => c.notNull())
        .addColumn('last_seen', 'text', (c) => c.notNull())
        .addColumn('first_version', 'integer', (c) => c.notNull())
        .addColumn('last_version', 'integer', (c) => c.notNull())
        .addColumn('resolved_by_json', 'text')
        .addColumn('assignee', 'text')
        .addColumn('ignore_until', 'text')
        .addColumn('reason', 'text')
        .addUniqueConstraint('failure_groups_fingerprint', ['extension', 'fingerprint']),
    ),
    db.schema.createIndex('failure_groups_by_status').on('failure_groups').columns(['status', 'last_seen', 'id']),
    strict(
      db.schema
        .createTable('failures')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer')
        .addColumn('error', 'text', (c) => c.notNull())
        .addColumn('stage', 'text', (c) => c.notNull())
        .addColumn('code', 'text', (c) => c.notNull())
        .addColumn('message', 'text', (c) => c.notNull())
        .addColumn('hint', 'text', (c) => c.notNull())
        .addColumn('file', 'text')
        .addColumn('line', 'integer')
        .addColumn('column', 'integer')
        .addColumn('code_frame', 'text')
        .addColumn('stack', 'text')
        .addColumn('output', 'text')
        .addColumn('fingerprint', 'text', (c) => c.notNull())
        .addColumn('snapshot_version', 'integer', (c) => c.notNull())
        .addColumn('first_seen', 'text', (c) => c.notNull())
        .addColumn('last_seen', 'text', (c) => c.notNull())
        .addColumn('count', 'integer', (c) => c.notNull()),
    ),
    db.schema.createIndex('failures_by_group').on('failures').columns(['group_id', 'seq']),
    db.schema.createIndex('failures_by_extension').on('failures').columns(['extension', 'seq']),
  ];
}

function channelTables(db: Db): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('channel_messages')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('channel', 'text', (c) => c.notNull())
        .addColumn('direction', 'text', (c) => c.notNull())
        .addColumn('text', 'text', (c) => c.notNull())
        .addColumn('sender', 'text', (c) => c.notNull())
        .addColumn('recipient', 'text')
        .addColumn('metadata_json', 'text', (c) => c.notNull())
        .addColumn('state', 'text', (c) => c.notNull())
        .addColumn('error', 'text')
        .addColumn('attempts', 'integer', (c) => c.notNull())
        .addColumn('call_id', 'text')
        .addColumn('reply_to', 'text')
        .addColumn('injected', 'integer', (c) => c.notNull())
        .addColumn('created_at', 'integer', (c) => c.notNull())
        .addColumn('queue_order', 'integer', (c) => c.notNull())
        .addColumn('is_sending', 'integer', (c) => c.notNull())
        .addColumn('in_doubt', 'integer', (c) => c.notNull()),
    ),
    db.schema.createIndex('channel_messages_by_channel').on('channel_messages').columns(['channel', 'seq']),
    db.schema.createIndex('channel_messages_by_state').on('channel_messages').columns(['channel', 'state', 'queue_order']),
    db.schema.createIndex('channel_messages_by_sender').on('channel_messages').columns(['channel', 'direction', 'sender', 'seq']),
    strict(
      db.schema
        .createTable('channel_settings')
        .addColumn('channel', 'text', (c) => c.notNull().primaryKey())
        .addColumn('commands_json', 'text', (c) => c.notNull()),
    ),
  ];
}
