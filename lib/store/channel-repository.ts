import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { channelCommandsSchema } from '#lib/contract/channel.ts';
import type { Message } from '#lib/contract/channel.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { ChannelRepository } from './store.ts';
import type { ChannelMessagesTable } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

const IN_DOUBT = 'The server stopped while this was being sent, so it may have been sent already. It is sent again.';
const SENT_IN_DOUBT = 'An earlier attempt was interrupted, so it may have been sent twice.';

const metadataSchema = z.record(z.string(), z.unknown());

type Row = Selectable<ChannelMessagesTable>;

/** Channel messages and settings. The next message to send is read from here, so sending continues after a restart. */
export function createChannelRepository(connection: Connection, db: QueryBuilder, queue: WriteQueue): ChannelRepository {
  function rowOf(id: string): Row | undefined {
    return connection.first(db.selectFrom('channel_messages').selectAll().where('id', '=', id).compile());
  }

  function countIn(channel: string, state: Message['state']): number {
    const query = db
      .selectFrom('channel_messages')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('channel', '=', channel)
      .where('state', '=', state);
    return connection.first(query.compile())?.count ?? 0;
  }

  function endOfQueue(channel: string): number {
    const query = db
      .selectFrom('channel_messages')
      .select((eb) => eb.fn.max('queue_order').as('last'))
      .where('channel', '=', channel)
      .where('state', '=', 'queued');
    return (connection.first(query.compile())?.last ?? 0) + 1;
  }

  function change(id: string, columns: Partial<Omit<Row, 'seq' | 'id'>>): void {
    const { changes } = connection.run(db.updateTable('channel_messages').set(columns).where('id', '=', id).compile());
    if (changes === 0) throw new Error(`Message ${id} not found.`);
  }

  return {
    insert(message) {
      return queue.run(() => {
        const { channel } = message;
        const isQueued = message.state === 'queued';
        if (isQueued && countIn(channel, 'queued') >= LIMITS.messagesQueued) return false;
        const row = { ...columnsOf(message), queue_order: isQueued ? endOfQueue(channel) : 0 };
        connection.run(db.insertInto('channel_messages').values(row).compile());
        return true;
      });
    },

    get(id) {
      const row = rowOf(id);
      return row === undefined ? null : toMessage(row);
    },

    list(channel, { cursor, limit }) {
      const keys = cursor === undefined ? [] : decodeCursor('messages', cursor, 1);
      if (keys === null) return null;
      const [before] = keys;
      let query = db.selectFrom('channel_messages').selectAll().where('channel', '=', channel);
      if (before !== undefined) query = query.where('seq', '<', before);
      const rows = connection.all(
        query
          .orderBy('seq', 'desc')
          .limit(limit + 1)
          .compile(),
      );
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        messages: shown.map(toMessage),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('messages', [last.seq]) : null,
      };
    },

    nextQueued(channel, exceptFor) {
      let query = db.selectFrom('channel_messages').selectAll().where('channel', '=', channel).where('state', '=', 'queued');
      const named = exceptFor.filter((recipient) => recipient !== null);
      if (named.length > 0) query = query.where((eb) => eb.or([eb('recipient', 'is', null), eb('recipient', 'not in', named)]));
      if (exceptFor.includes(null)) query = query.where('recipient', 'is not', null);
      const row = connection.first(query.orderBy('queue_order').limit(1).compile());
      return row === undefined ? null : toMessage(row);
    },

    beginSend(id) {
      const query = db
        .updateTable('channel_messages')
        .set((eb) => ({ attempts: eb('attempts', '+', 1), is_sending: sql.lit<1>(1) }))
        .where('id', '=', id)
        .compile();
      return queue.run(() => void connection.run(query));
    },

    endSend(id, { state, error, inDoubt }) {
      return queue.run(() => {
        const row = rowOf(id);
        if (row === undefined) throw new Error(`Outbound message ${id} not found.`);
        const doubt = inDoubt || row.in_doubt === 1;
        const shown = state === 'sent' && doubt ? SENT_IN_DOUBT : error;
        const columns = { state, error: shown, is_sending: 0 as const, in_doubt: doubt ? (1 as const) : (0 as const) };
        change(id, columns);
        return toMessage({ ...row, ...columns });
      });
    },

    queueAgain(id) {
      return queue.run(() => {
        const row = rowOf(id);
        if (row === undefined || row.state !== 'failed') return 'not_failed';
        if (countIn(row.channel, 'queued') >= LIMITS.messagesQueued) return 'full';
        change(id, { state: 'queued', attempts: 0, error: null, queue_order: endOfQueue(row.channel) });
        return 'queued';
      });
    },

    noteCommand: (id, callId, error) =>
      queue.run(() => change(id, { ...(callId === null ? {} : { call_id: callId }), ...(error === null ? {} : { error }) })),

    lastFrom(channel, sender) {
      const query = db.selectFrom('channel_messages').selectAll().where('channel', '=', channel).where('direction', '=', 'in');
      const row = connection.first(query.where('sender', '=', sender).orderBy('seq', 'desc').limit(1).compile());
      return row === undefined ? null : toMessage(row);
    },

    counts(channel) {
      const query = db.selectFrom('channel_messages').select('created_at').where('channel', '=', channel);
      const last = connection.first(query.orderBy('seq', 'desc').limit(1).compile());
      return {
        queued: countIn(channel, 'queued'),
        failed: countIn(channel, 'failed'),
        lastMessageAt: last === undefined ? null : new Date(last.created_at).toISOString(),
      };
    },

    hasMessages: (channel) =>
      connection.first(db.selectFrom('channel_messages').select('seq').where('channel', '=', channel).limit(1).compile()) !== undefined,

    markInterrupted() {
      const query = db
        .updateTable('channel_messages')
        .set({ is_sending: 0, in_doubt: 1, error: IN_DOUBT })
        .where('is_sending', '=', 1)
        .where('state', '=', 'queued')
        .compile();
      return queue.now(() => connection.run(query).changes);
    },

    commands(channel) {
      const row = connection.first(db.selectFrom('channel_settings').select('commands_json').where('channel', '=', channel).compile());
      return row === undefined ? null : channelCommandsSchema.parse(JSON.parse(row.commands_json));
    },

    putCommands(channel, commands) {
      const columns = { commands_json: JSON.stringify(commands) };
      const query = db
        .insertInto('channel_settings')
        .values({ channel, ...columns })
        .onConflict((conflict) => conflict.column('channel').doUpdateSet(columns))
        .compile();
      return queue.run(() => void connection.run(query));
    },
  };
}

function columnsOf(message: Message): Omit<Row, 'seq' | 'queue_order'> {
  const { metadata, created_at, injected, ...same } = message;
  return {
    ...same,
    metadata_json: JSON.stringify(metadata),
    created_at: Date.parse(created_at),
    injected: injected ? 1 : 0,
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
