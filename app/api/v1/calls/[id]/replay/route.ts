import { replayRequestSchema } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { ok } from '#lib/contract/result.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { REPLAYED } from '#lib/http/idempotency-key.ts';
import { readFields } from '#lib/http/read-json.ts';
import { idempotencyKeyOf, requesterOf, respondWith } from '#lib/http/respond.ts';
import { API_HEADERS } from '#lib/http/security-headers.ts';
import { wantsAsync } from '#lib/http/wants-async.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  return respondWith(request, currentHost(), async (host) => {
    const requester = requesterOf(request);
    if (!requester.ok) return requester;
    const { id } = await context.params;
    const asked = await readFields(request, replayRequestSchema);
    if (!asked.ok) return asked;
    const key = idempotencyKeyOf(request);
    if (!key.ok) return key;
    const { arguments: args = null, timeout_ms: timeoutMs, revision } = asked.value;
    const replay = { arguments: args, timeoutMs, revision, ...requester.value };
    const headers = { ...API_HEADERS, 'content-type': 'application/json' };
    const started = key.value === null ? await host.calls.replay(id, replay) : await host.calls.replayOnce(key.value, id, replay);
    if (!started.ok) return started;
    const { id: call, finished } = started.value;
    if ('isRepeated' in started.value && started.value.isRepeated)
      return ok(new Response(await finished, { headers: { ...headers, ...REPLAYED } }));
    if (!wantsAsync(request.headers.get('prefer'))) return ok(new Response(await finished, { headers }));
    finished.catch((error: unknown) => host.logger.error('The end of a call could not be kept', { call_id: call, error }));
    const running = host.calls.get(call);
    if (!running.ok) return running;
    const more = { location: API.call(call), 'preference-applied': 'respond-async' };
    return ok(new Response(JSON.stringify(running.value), { status: 202, headers: { ...headers, ...more } }));
  });
}
