import { API } from '#lib/contract/paths.ts';
import { ok } from '#lib/contract/result.ts';
import { runSavedCallSchema } from '#lib/contract/saved-call.ts';
import type { SavedCallOutcome } from '#lib/contract/saved-call.ts';
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
    const asked = await readFields(request, runSavedCallSchema);
    if (!asked.ok) return asked;
    const key = idempotencyKeyOf(request);
    if (!key.ok) return key;
    const { source, actor } = requester.value;
    const started = await host.savedCalls.start(id, asked.value.arguments ?? null, source, actor, key.value);
    if (!started.ok) return started;
    const { savedCall, callId, isRepeated, finished } = started.value;
    const known = { ...API_HEADERS, ...(isRepeated ? REPLAYED : {}) };
    if (!wantsAsync(request.headers.get('prefer'))) return ok(Response.json(await finished, { headers: known }));
    finished.catch((error: unknown) => host.logger.error('A saved call could not be judged', { call_id: callId, error }));
    const running = host.calls.get(callId);
    if (!running.ok) return running;
    const outcome: SavedCallOutcome = { saved_call: savedCall, call: running.value };
    const headers = { ...known, location: API.call(callId), 'preference-applied': 'respond-async' };
    return ok(Response.json(outcome, { status: 202, headers }));
  });
}
