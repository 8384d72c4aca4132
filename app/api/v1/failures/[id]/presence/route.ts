import { presenceNoteSchema } from '#lib/contract/presence.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readFields } from '#lib/http/read-json.ts';
import { respondMember } from '#lib/http/respond-accounts.ts';
import { ok } from '#lib/contract/result.ts';

export const dynamic = 'force-dynamic';

export function POST(request: Request, context: { params: Promise<{ id: string }> }): Promise<Response> {
  const host = currentHost();
  return respondMember(request, host, async (_accounts, member) => {
    const note = await readFields(request, presenceNoteSchema);
    if (!note.ok) return note;
    const presence = host.failures.attend((await context.params).id, member, note.value);
    return presence.ok ? ok({ body: presence.value }) : presence;
  });
}
