import type * as z from 'zod';
import { keyOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import { visibleEvents } from '#lib/access/visible-events.ts';
import { EVENT_TYPES, type eventsQuerySchema, type EventType, HEARTBEAT, type HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { HostEvents } from '#lib/host/host.ts';
import { answer } from '../answer.ts';
import type { RequestHead } from '../request.ts';

/**
 * Server-sent events. What can go wrong:
 * - a reader is slow or dead: its buffer is limited, then the stream is cut; it resumes by `Last-Event-ID`, so nothing is lost;
 * - a resume is long: missed events are sent as the reader takes them, and live events follow once it has caught up;
 * - the id is too old, of another database or invalid: a `host.resync` event reports it;
 * - a stream outlives its connection or the server: the subscription ends with the response, and `close` ends all;
 * - a stream outlives its permission: with accounts it belongs to a session or token, shows what that may see, counts toward
 *   its limit, and ends with it. Expired tokens are detected at each heartbeat.
 */
export type EventStreams = ReturnType<typeof createEventStreams>;

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
  beat(): void;
  end(): void;
}

export const STREAM_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
};
const RETRY_MS = 1_000;
/** Bytes that may wait before a resume pauses. */
const RESUME_BYTES = 65_536;

export function createEventStreams(options: EventStreamsOptions) {
  const { events, isCurrent } = options;
  const most = options.mostStreams ?? LIMITS.eventStreams;
  const streams = new Set<Stream>();
  const encode = createEncoder();
  let closed = false;
  const heart = setInterval(() => {
    for (const stream of streams) void beat(stream);
  }, options.heartbeatMs ?? LIMITS.eventHeartbeatMs);
  heart.unref();

  async function beat(stream: Stream): Promise<void> {
    // While the database cannot be asked, the streams of tokens go on.
    const isOver = stream.principal.kind === 'token' && (await isCurrent?.(stream.principal).catch(() => true)) === false;
    if (!streams.has(stream)) return;
    if (isOver) stream.end();
    else stream.beat();
  }

  const checkRoom = (principal: Principal): Result<null> => {
    if (closed) return refuse('shutting_down', 'The server is stopping.', { retryAfter: 2 });
    if (streams.size >= most)
      return refuse('too_many_streams', `${most} event streams are open, the maximum. Close one and try again.`, { retryAfter: 15 });
    const key = keyOf(principal);
    const own = key === null ? 0 : [...streams].filter((stream) => keyOf(stream.principal) === key).length;
    if (own < LIMITS.streamsPerPrincipal) return ok(null);
    return refuse(
      'too_many_own_streams',
      `${LIMITS.streamsPerPrincipal} event streams of this ${principal.kind === 'token' ? 'token' : 'person'} are open, the maximum. Close one and try again.`,
      { retryAfter: 15 },
    );
  };

  /** Call the returned function at the end. */
  const keep = (stream: Stream): (() => void) => {
    streams.add(stream);
    return () => void streams.delete(stream);
  };

  return {
    /** @param cut closes the connection of a slow reader */
    open(request: RequestHead, query: z.output<typeof eventsQuerySchema>, principal: Principal, cut: () => void): Result<Response> {
      const room = checkRoom(principal);
      if (!room.ok) return room;
      const types = readTypes(query.types);
      if (!types.ok) return types;
      if (request.method === 'HEAD') return ok(answer(200, null, STREAM_HEADERS));
      const resumeFrom = readId(request.headers['last-event-id']) ?? query.last_event_id ?? null;
      return ok(answer(200, startStream(resumeFrom, types.value, query.heartbeats, principal, cut), STREAM_HEADERS));
    },
    /** Counts another kind of stream toward the limits until the returned function is called; `end` closes it. */
    take(principal: Principal, end: () => void): Result<() => void> {
      const room = checkRoom(principal);
      return room.ok ? ok(keep({ principal, beat: () => undefined, end })) : room;
    },
    endOf(is: (principal: Principal) => boolean): void {
      for (const stream of streams) if (is(stream.principal)) stream.end();
    },
    count: () => streams.size,
    /** Closes every stream and accepts no more. */
    close(): void {
      closed = true;
      clearInterval(heart);
      for (const stream of streams) stream.end();
    },
  };

  function startStream(
    resumeFrom: number | null,
    types: ReadonlySet<EventType> | null,
    heartbeats: boolean,
    principal: Principal,
    cut: () => void,
  ): ReadableStream<Uint8Array> {
    const isVisible = visibleEvents(principal);
    /** Null while the reader catches up. */
    let unsubscribe: (() => void) | null = null;
    let isStalled = false;
    let sent = resumeFrom ?? events.lastId();
    let over = (): void => undefined;

    const take = (event: HostEvent): Uint8Array | null => {
      sent = event.id;
      if (types !== null && !types.has(event.type) && event.type !== 'host.resync') return null;
      return isVisible === null || isVisible(event) ? encode(event) : null;
    };

    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const release = keep({
            principal,
            beat() {
              if (unsubscribe !== null)
                controller.enqueue(
                  ENCODER.encode(heartbeats ? `event: ${HEARTBEAT}\ndata: {"snapshot_version":${options.snapshotVersion()}}\n\n` : ':\n\n'),
                );
              else if (isStalled) cut();
              isStalled = true;
            },
            end() {
              over();
              controller.close();
            },
          });
          over = () => {
            release();
            unsubscribe?.();
          };
          // Only the id: a client that is cut before its first event can still resume.
          controller.enqueue(ENCODER.encode(`retry: ${RETRY_MS}\n${resumeFrom === null ? `id: ${sent}\n` : ''}\n`));
        },
        async pull(controller) {
          isStalled = false;
          const newest = events.lastId();
          const missed = (sent > newest ? null : events.since(sent)) ?? [
            { id: newest, type: 'host.resync' as const, data: { snapshot_version: options.snapshotVersion() } },
          ];
          const parts: Uint8Array[] = [];
          let size = 0;
          for (const event of missed) {
            const part = take(event);
            if (part === null) continue;
            parts.push(part);
            size += part.length;
            if (size > RESUME_BYTES) break;
          }
          if (size > 0) controller.enqueue(Buffer.concat(parts));
          if (size > RESUME_BYTES) return;
          unsubscribe = events.subscribe((event) => {
            const part = take(event);
            if (part !== null) controller.enqueue(part);
            if ((controller.desiredSize ?? 0) < -LIMITS.eventStreamBehindBytes) cut();
          });
          // Events come unasked from now on: without this, each would be asked for as well.
          await new Promise(() => undefined);
        },
        cancel: () => over(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
    );
  }
}

const ENCODER = new TextEncoder();

/** Serialized once for all streams. */
function createEncoder(): (event: HostEvent) => Uint8Array {
  let last: HostEvent | null = null;
  let bytes = new Uint8Array();
  return (event) => {
    if (event !== last) {
      last = event;
      bytes = ENCODER.encode(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`);
    }
    return bytes;
  };
}

/** @param types separated by commas */
function readTypes(types: string | undefined): Result<ReadonlySet<EventType> | null> {
  if (types === undefined) return ok(null);
  const chosen = new Set<EventType>();
  for (const word of types.split(',')) {
    const type = EVENT_TYPES.find((known) => known === word.trim());
    if (type === undefined)
      return refuse('query_invalid', `"${word.slice(0, 40)}" is not an event type. Event types: ${EVENT_TYPES.join(', ')}.`);
    chosen.add(type);
  }
  return ok(chosen);
}

/** An unknown id counts as expired: the missed events are unknown. */
function readId(text: string | string[] | undefined): number | null {
  if (text === undefined || text === '') return null;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}
