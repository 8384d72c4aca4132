import { type Compilable, type Generated, type Selectable, sql } from 'kysely';
import * as z from 'zod';
import { channelCommandsSchema, type Message } from '#lib/contract/channel.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import { changesOf, countOf, type Database, type Db } from './database.ts';
import type { Lease } from './instance-store.ts';
import { leaseLost } from './storage-error.ts';
import type { ChannelRepository, OwnedChannelWrites } from './store.ts';
import { strictTable } from './dialect.ts';
import type { Bit } from './tables.ts';

const IN_DOUBT = 'The server stopped while this was being sent, so it may have been sent already. It is sent again.';
const SENT_IN_DOUBT = 'An earlier attempt was interrupted, so it may have been sent twice.';

const metadataSchema = z.record(z.string(), z.unknown());

type Row = Selectable<ChannelMessagesTable>;

/** 0070: commands whose reply is not stored yet. */
export function unansweredCommands(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('channel_messages').addColumn('awaits_reply', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema
      .createIndex('channel_messages_unanswered')
      .on('channel_messages')
      .columns(['channel', 'seq'])
      .where(sql.ref('awaits_reply'), '=', sql.lit(1)),
  ];
}

/** 0075: a message that a service delivers again is recognized by its key. */
export function messageKeys(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('channel_messages').addColumn('idempotency_key', 'text'),
    db.schema
      .createIndex('channel_messages_by_key')
      .unique()
      .on('channel_messages')
      .columns(['channel', 'idempotency_key'])
      .where(sql.ref('idempotency_key'), 'is not', null),
  ];
}

/** Channel messages and settings. The next message to send is read from here, so sending continues after a restart. */
export function createChannelRepository(database: Database): ChannelRepository {
  const { read, write } = database;
  async function rowOf(db: Db, id: string): Promise<Row | undefined> {
    return await db.selectFrom('channel_messages').selectAll().where('id', '=', id).executeTakeFirst();
  }

  const countIn = (db: Db, channel: string, state: Message['state']): Promise<number> =>
    countOf(db.selectFrom('channel_messages').where('channel', '=', channel).where('state', '=', state));

  async function idOfKey(db: Db, channel: string, key: string): Promise<string | null> {
    const query = db.selectFrom('channel_messages').select('id').where('channel', '=', channel).where('idempotency_key', '=', key);
    return (await query.executeTakeFirst())?.id ?? null;
  }

  async function endOfQueue(db: Db, channel: string): Promise<number> {
    const query = db
      .selectFrom('channel_messages')
      .select((eb) => eb.fn.max('queue_order').as('last'))
      .where('channel', '=', channel)
      .where('state', '=', 'queued');
    return ((await query.executeTakeFirst())?.last ?? 0) + 1;
  }

  async function change(db: Db, id: string, columns: Partial<Omit<Row, 'seq' | 'id'>>): Promise<void> {
    const result = await db.updateTable('channel_messages').set(columns).where('id', '=', id).executeTakeFirst();
    if (changesOf(result) === 0) throw new Error(`Message ${id} not found.`);
  }

  function writesWith(write: Database['write']): OwnedChannelWrites {
    return {
      insert(message, { isCommand, idempotencyKey } = { isCommand: false, idempotencyKey: null }) {
        return write(async (db) => {
          const { channel } = message;
          const isQueued = message.state === 'queued';
          if (isQueued && (await countIn(db, channel, 'queued')) >= LIMITS.messagesQueued) return false;
          const known = idempotencyKey === null ? null : await idOfKey(db, channel, idempotencyKey);
          // A repeated write, after a commit whose answer was lost.
          if (known !== null) return known === message.id;
          const queue_order = isQueued ? await endOfQueue(db, channel) : 0;
          const row = { ...columnsOf(message), awaits_reply: bit(isCommand), queue_order, idempotency_key: idempotencyKey };
          const insert = db.insertInto('channel_messages').values(row);
          await insert.onConflict((same) => same.column('id').doNothing()).execute();
          const answered = message.direction === 'out' ? message.reply_to : null;
          if (answered !== null) await db.updateTable('channel_messages').set({ awaits_reply: 0 }).where('id', '=', answered).execute();
          return true;
        });
      },

      beginSend(id) {
        return write(async (db) => {
          const query = db
            .updateTable('channel_messages')
            .set((eb) => ({ attempts: eb('attempts', '+', 1), is_sending: sql.lit<1>(1) }))
            .where('id', '=', id);
          await query.execute();
        });
      },

      endSend(id, { state, error, inDoubt }) {
        return write(async (db) => {
          const row = await rowOf(db, id);
          if (row === undefined) throw new Error(`Outbound message ${id} not found.`);
          const doubt = inDoubt || row.in_doubt === 1;
          const shown = state === 'sent' && doubt ? SENT_IN_DOUBT : error;
          const columns = { state, error: shown, is_sending: 0 as const, in_doubt: doubt ? (1 as const) : (0 as const) };
          await change(db, id, columns);
          return toMessage({ ...row, ...columns });
        });
      },

      noteCommand: (id, callId, error) =>
        write((db) => change(db, id, { ...(callId === null ? {} : { call_id: callId }), ...(error === null ? {} : { error }) })),

      markInterrupted(channel) {
        return write(async (db) => {
          const query = db
            .updateTable('channel_messages')
            .set({ is_sending: 0, in_doubt: 1, error: IN_DOUBT })
            .where('channel', '=', channel)
            .where('is_sending', '=', 1)
            .where('state', '=', 'queued');
          return changesOf(await query.executeTakeFirst());
        });
      },
    };
  }

  return {
    ...writesWith(write),
    underLease: (lease) =>
      database.shared === null ? writesWith(write) : writesWith((work) => write((db) => confirmLease(db, lease).then(() => work(db)))),

    async unanswered(channel) {
      const query = read.selectFrom('channel_messages').selectAll().where('channel', '=', channel).where('awaits_reply', '=', 1);
      return (await query.orderBy('seq').execute()).map(toMessage);
    },

    async get(id) {
      const row = await rowOf(read, id);
      return row === undefined ? null : toMessage(row);
    },

    async list(channel, { cursor, limit }) {
      const keys = cursor === undefined ? [] : decodeCursor('messages', cursor, 1);
      if (keys === null) return null;
      const [before] = keys;
      let query = read.selectFrom('channel_messages').selectAll().where('channel', '=', channel);
      if (before !== undefined) query = query.where('seq', '<', before);
      const rows = await query
        .orderBy('seq', 'desc')
        .limit(limit + 1)
        .execute();
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        messages: shown.map(toMessage),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('messages', [last.seq]) : null,
      };
    },

    async nextQueued(channel, exceptFor) {
      let query = read.selectFrom('channel_messages').selectAll().where('channel', '=', channel).where('state', '=', 'queued');
      const named = exceptFor.filter((recipient) => recipient !== null);
      if (named.length > 0) query = query.where((eb) => eb.or([eb('recipient', 'is', null), eb('recipient', 'not in', named)]));
      if (exceptFor.includes(null)) query = query.where('recipient', 'is not', null);
      const row = await query.orderBy('queue_order').limit(1).executeTakeFirst();
      return row === undefined ? null : toMessage(row);
    },

    queueAgain(id) {
      return write(async (db) => {
        const row = await rowOf(db, id);
        if (row === undefined || row.state !== 'failed') return 'not_failed';
        if ((await countIn(db, row.channel, 'queued')) >= LIMITS.messagesQueued) return 'full';
        await change(db, id, { state: 'queued', attempts: 0, error: null, queue_order: await endOfQueue(db, row.channel) });
        return 'queued';
      });
    },

    async lastFrom(channel, sender) {
      const query = read.selectFrom('channel_messages').selectAll().where('channel', '=', channel).where('direction', '=', 'in');
      const row = await query.where('sender', '=', sender).orderBy('seq', 'desc').limit(1).executeTakeFirst();
      return row === undefined ? null : toMessage(row);
    },

    async counts(channel) {
      const query = read.selectFrom('channel_messages').select('created_at').where('channel', '=', channel);
      const last = await query.orderBy('seq', 'desc').limit(1).executeTakeFirst();
      return {
        queued: await countIn(read, channel, 'queued'),
        failed: await countIn(read, channel, 'failed'),
        lastMessageAt: last === undefined ? null : new Date(last.created_at).toISOString(),
      };
    },

    hasMessages: async (channel) =>
      (await read.selectFrom('channel_messages').select('seq').where('channel', '=', channel).limit(1).executeTakeFirst()) !== undefined,

    async commands() {
      const rows = await read.selectFrom('channel_settings').selectAll().execute();
      return new Map(rows.map((row) => [row.channel, channelCommandsSchema.parse(JSON.parse(row.commands_json))]));
    },

    putCommands(channel, commands) {
      const columns = { commands_json: JSON.stringify(commands) };
      return write(async (db) => {
        const query = db
          .insertInto('channel_settings')
          .values({ channel, ...columns })
          .onConflict((conflict) => conflict.column('channel').doUpdateSet(columns));
        await query.execute();
      });
    },
  };
}

/** Another server that takes the lease waits for this transaction, or this one is refused. */
async function confirmLease(db: Db, { name, epoch }: Lease): Promise<void> {
  const held = db.selectFrom('leases').select('epoch').where('name', '=', name).where('epoch', '=', epoch).where('expires_at', '>', 0);
  if ((await held.forShare().executeTakeFirst()) === undefined) throw leaseLost(name);
}

const bit = (value: boolean): 0 | 1 => (value ? 1 : 0);

function columnsOf(message: Message): Omit<Row, 'seq' | 'queue_order' | 'awaits_reply' | 'idempotency_key'> {
  const { metadata, created_at, injected, ...same } = message;
  return {
    ...same,
    metadata_json: JSON.stringify(metadata),
    created_at: Date.parse(created_at),
    injected: bit(injected),
    is_sending: 0,
    in_doubt: 0,
  };
}

function toMessage(row: Row): Message {
  return {
    id: row.id,
    channel: row.channel,
    direction: row.direction,
    text: row.text,
    sender: row.sender,
    recipient: row.recipient,
    metadata: metadataSchema.parse(parseExactJson(row.metadata_json)),
    state: row.state,
    error: row.error,
    attempts: row.attempts,
    call_id: row.call_id,
    reply_to: row.reply_to,
    injected: row.injected === 1,
    created_at: new Date(row.created_at).toISOString(),
  };
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

export function channelTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`channel_messages (seq integer primary key, id text unique, channel text, direction text, text text, sender text,
      recipient text?, metadata_json text, state text, error text?, attempts integer, call_id text?, reply_to text?, injected integer,
      created_at integer, queue_order integer, is_sending integer, in_doubt integer)`,
    db.schema.createIndex('channel_messages_by_channel').on('channel_messages').columns(['channel', 'seq']),
    db.schema.createIndex('channel_messages_by_state').on('channel_messages').columns(['channel', 'state', 'queue_order']),
    db.schema.createIndex('channel_messages_by_sender').on('channel_messages').columns(['channel', 'direction', 'sender', 'seq']),
    strictTable(db)`channel_settings (channel text primary key, commands_json text)`,
  ];
}
