import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { keyOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import { visibleEvents } from '#lib/access/visible-events.ts';
import { EVENT_TYPES, HEARTBEAT } from '#lib/contract/events.ts';
import type { eventsQuerySchema, EventType, HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { HostEvents } from '#lib/host/host.ts';
import { API_HEADERS } from '../security-headers.ts';

/**
 * Server-sent events. What can go wrong:
 * - a reader is slow or dead: its buffer is limited, then the stream is cut; it resumes by `Last-Event-ID`, so nothing is lost;
 * - a resume exceeds the socket's buffer: missed events are sent in turns that wait for the reader, and live events follow in
 *   the same turn in which it catches up;
 * - the id is too old, of another database or invalid: a `host.resync` event reports it;
 * - a stream outlives its connection or the server: the subscription ends with the response, and `close` ends all;
 * - a stream outlives its permission: with accounts it belongs to a session or token, shows what that may see, counts toward
 *   its limit, and ends with it. Expired tokens are detected at each heartbeat.
 */
export interface EventStreams {
  open(request: IncomingMessage, response: ServerResponse, query: EventsQuery, principal: Principal): Result<null>;
  /** Counts another kind of stream toward the limits until the returned function is called; `end` closes it. */
  take(principal: Principal, end: () => void): Result<() => void>;
  /** Closes matching streams. */
  endOf(is: (principal: Principal) => boolean): void;
  count(): number;
  /** Closes every stream and accepts no more. */
  close(): void;
}

export interface EventStreamsOptions {
  readonly events: HostEvents;
  readonly snapshotVersion: () => number;
  readonly heartbeatMs?: number;
  readonly mostStreams?: number;
  /** Whether the caller is still permitted; checked for tokens at each heartbeat. */
  readonly isCurrent?: (principal: Principal) => Promise<boolean>;
}

interface Stream {
  readonly principal: Principal;
  /** Called at each heartbeat. */
  beat(): void;
  end(): void;
}

export const STREAM_HEADERS = {
  ...API_HEADERS,
  'cache-control': 'no-cache, no-transform',
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
};
const RETRY_MS = 1_000;
/** Bytes of a resume that may wait in the socket before it pauses. */
const RESUME_BYTES = 65_536;

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { events, isCurrent } = options;
  const most = options.mostStreams ?? LIMITS.eventStreams;
  const streams = new Set<Stream>();
  /** Limit per person and token. */
  const own = new Map<string, number>();
  const encode = createEncoder();
  let closed = false;
  const heart = setInterval(() => {
    for (const stream of streams) void beat(stream);
  }, options.heartbeatMs ?? LIMITS.eventHeartbeatMs);
  heart.unref();

  async function beat(stream: Stream): Promise<void> {
    // While the database cannot be asked, the streams of tokens go on.
    const isOver = stream.principal.kind === 'token' && (await isCurrent?.(stream.principal).catch(() => true)) === false;
    if (isOver) stream.end();
    else if (streams.has(stream)) stream.beat();
  }

  const checkRoom = (principal: Principal): Result<null> => {
    if (closed) return refuse('shutting_down', 'The server is stopping.', { retryAfter: 2 });
    if (streams.size >= most)
      return refuse('too_many_streams', `${most} event streams are open, the maximum. Close one and try again.`, { retryAfter: 15 });
    const key = keyOf(principal);
    if (key === null || (own.get(key) ?? 0) < LIMITS.streamsPerPrincipal) return ok(null);
    return refuse(
      'too_many_own_streams',
      `${LIMITS.streamsPerPrincipal} event streams of this ${principal.kind === 'token' ? 'token' : 'person'} are open, the maximum. Close one and try again.`,
      { retryAfter: 15 },
    );
  };

  /** Call the returned function at the end. */
  const keep = (stream: Stream): (() => void) => {
    const key = keyOf(stream.principal);
    streams.add(stream);
    if (key !== null) own.set(key, (own.get(key) ?? 0) + 1);
    return () => {
      if (!streams.delete(stream) || key === null) return;
      const left = (own.get(key) ?? 1) - 1;
      if (left === 0) own.delete(key);
      else own.set(key, left);
    };
  };

  return {
    open(request, response, query, principal) {
      const room = checkRoom(principal);
      if (!room.ok) return room;
      const asked = readQuery(query);
      if (!asked.ok) return asked;
      const resumeFrom = readId(request.headers['last-event-id']) ?? asked.value.lastId;
      response.writeHead(200, STREAM_HEADERS);
      if (request.method === 'HEAD') {
        response.end();
        return ok(null);
      }
      const over = keep(startStream(response, resumeFrom, asked.value, principal));
      response.on('close', over);
      return ok(null);
    },
    take(principal, end) {
      const room = checkRoom(principal);
      return room.ok ? ok(keep({ principal, beat: () => undefined, end })) : room;
    },
    endOf(is) {
      for (const stream of streams) if (is(stream.principal)) stream.end();
    },
    count: () => streams.size,
    close() {
      closed = true;
      clearInterval(heart);
      for (const stream of streams) stream.end();
    },
  };

  function startStream(
    response: ServerResponse,
    resumeFrom: number | null,
    { types, heartbeats }: StreamQuery,
    principal: Principal,
  ): Stream {
    const isVisible = visibleEvents(principal);
    let unsubscribe: (() => void) | null = null;
    let waitingSince: 'now' | 'beat' | null = null;
    let sent = resumeFrom ?? events.lastId();

    const write = (event: HostEvent): void => {
      sent = event.id;
      if (types !== null && !types.has(event.type) && event.type !== 'host.resync') return;
      if (isVisible !== null && !isVisible(event)) return;
      response.write(encode(event));
    };

    const goLive = (): void => {
      if (response.destroyed || response.writableEnded || unsubscribe !== null) return;
      unsubscribe = events.subscribe((event) => {
        write(event);
        if (response.writableLength > LIMITS.eventStreamBehindBytes) response.destroy();
      });
    };

    const resume = (): void => {
      waitingSince = null;
      if (response.destroyed || response.writableEnded) return;
      const newest = events.lastId();
      const missed = sent > newest ? null : events.since(sent);
      if (missed === null) {
        write({ id: newest, type: 'host.resync', data: { snapshot_version: options.snapshotVersion() } });
        goLive();
        return;
      }
      for (const event of missed) {
        write(event);
        if (response.writableLength > RESUME_BYTES) {
          waitingSince = 'now';
          response.once('drain', resume);
          return;
        }
      }
      goLive();
    };

    response.on('close', () => unsubscribe?.());
    response.on('error', () => undefined);
    // Only the id: a client that is cut before its first event can still resume.
    response.write(resumeFrom === null ? `retry: ${RETRY_MS}\nid: ${sent}\n\n` : `retry: ${RETRY_MS}\n\n`);
    resume();

    return {
      principal,
      beat() {
        if (waitingSince === 'beat') response.destroy();
        else if (waitingSince === 'now') waitingSince = 'beat';
        else response.write(heartbeats ? `event: ${HEARTBEAT}\ndata: {"snapshot_version":${options.snapshotVersion()}}\n\n` : ':\n\n');
      },
      end() {
        unsubscribe?.();
        response.end();
      },
    };
  }
}

/** Serialized once for all streams. */
function createEncoder(): (event: HostEvent) => string {
  let last: HostEvent | null = null;
  let text = '';
  return (event) => {
    if (event !== last) {
      last = event;
      text = `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
    }
    return text;
  };
}

interface StreamQuery {
  readonly types: ReadonlySet<EventType> | null;
  readonly lastId: number | null;
  readonly heartbeats: boolean;
}

export type EventsQuery = z.output<typeof eventsQuerySchema>;

function readQuery({ types, last_event_id: lastId, heartbeats }: EventsQuery): Result<StreamQuery> {
  const chosen = new Set<EventType>();
  for (const word of types?.split(',') ?? []) {
    const type = EVENT_TYPES.find((known) => known === word.trim());
    if (type === undefined)
      return refuse('query_invalid', `"${word.slice(0, 40)}" is not an event type. Event types: ${EVENT_TYPES.join(', ')}.`);
    chosen.add(type);
  }
  return ok({ types: types === undefined ? null : chosen, lastId: lastId ?? null, heartbeats });
}

/** An unknown id counts as expired: the missed events are unknown. */
function readId(text: string | string[] | undefined): number | null {
  if (text === undefined || text === '') return null;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}
