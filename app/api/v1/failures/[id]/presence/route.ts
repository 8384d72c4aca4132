import { presenceNoteSchema } from '#lib/contract/presence.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { parseBody } from '#lib/http/parse-fields.ts';
import { readJson } from '#lib/http/read-json.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';
import { ok } from '#lib/contract/result.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  const host = currentHost();
  return respondMember(request, host, async (_accounts, member) => {
    const json = await readJson(request, {});
    if (!json.ok) return json;
    const note = parseBody(presenceNoteSchema, json.value);
    if (!note.ok) return note;
    const presence = host.failures.attend((await context.params).id, member, note.value);
    return presence.ok ? ok({ body: presence.value }) : presence;
  });
}
