import type { Accounts } from '#lib/accounts/accounts.ts';
import type { AuditedEvent } from '#lib/accounts/audit-meter.ts';
import type { Call } from '#lib/contract/call.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import type { HostEvents } from './host.ts';

/**
 * Adds calls of destructive or open-world tools to the audit log. Calls have many origins (the API, an agent, a replay,
 * a saved call, a probe, a channel command), and each one emits an event; subscribing to it covers all of them.
 */
export interface AuditCallsOptions {
  readonly events: Pick<HostEvents, 'subscribeOwn'>;
  tool(name: string): Result<Tool>;
  call(id: string): Promise<Result<Call>>;
  readonly accounts: {
    readonly audit: Pick<Accounts['audit'], 'record'>;
    readonly members: Pick<Accounts['members'], 'list'>;
    readonly tokens: Pick<Accounts['tokens'], 'list'>;
  };
  onError(error: unknown): void;
}

/** Returns the unsubscribe function. */
export function auditCalls({ events, tool, call, accounts, onError }: AuditCallsOptions): () => void {
  return events.subscribeOwn(
    ({ data }) => {
      if (data.tool === undefined || data.call_id === undefined) return;
      const called = tool(data.tool);
      if (called.ok && isDangerous(called.value)) record(data.tool, data.call_id).catch(onError);
    },
    ['call.started'],
  );

  async function record(target: string, callId: string): Promise<void> {
    const begun = await call(callId);
    if (!begun.ok) return;
    const { id, source, actor, replay_of: replayOf } = begun.value;
    accounts.audit.record({
      actor: await callerOf(begun.value, accounts),
      action: 'tools.call',
      target,
      outcome: 'done',
      address: null,
      detail: { call_id: id, source, ...(actor === null ? {} : { actor }), ...(replayOf === null ? {} : { replay_of: replayOf }) },
    });
  }
}

/** By the tool's annotations. */
function isDangerous(tool: Tool): boolean {
  const { readOnlyHint, openWorldHint } = tool.annotations;
  return isDestructive(tool) || (openWorldHint === true && readOnlyHint !== true);
}

/** Member names are unique; a token is shown with its name and its owner's. */
async function callerOf({ source, actor }: Call, { members, tokens }: AuditCallsOptions['accounts']): Promise<AuditedEvent['actor']> {
  const name = actor ?? 'nobody';
  if (source === 'channel') return { kind: 'channel', id: null, name };
  const member = (await members.list({ kind: 'stranger' })).members.find((one) => one.name === actor);
  if (member !== undefined) return { kind: 'member', id: member.id, name };
  const token = (await tokens.list()).tokens.find((one) => `${one.name} (${one.owner.name})` === actor);
  return token === undefined ? { kind: 'server', id: null, name } : { kind: 'token', id: token.id, name };
}
