import type { AuditActorKind } from '#lib/contract/audit-events.ts';
import type { Principal } from './principal.ts';

/** Actor name in records. Null without accounts: then the client names itself. */
export function actorNameOf(principal: Principal): string | null {
  switch (principal.kind) {
    case 'member':
      return principal.name;
    case 'token':
      return `${principal.name} (${principal.owner})`;
    case 'key':
      return principal.by === undefined ? 'admin token' : actorNameOf(principal.by);
    case 'stranger':
    case 'local':
      return null;
  }
}

/** Key for limits and records per person or token. Null without accounts. */
export function keyOf(principal: Principal): string | null {
  return principal.kind === 'member' || principal.kind === 'token' ? `${principal.kind}:${principal.id}` : null;
}

/** Without accounts there is one person. */
export const LOCAL_MEMBER = 'local';

/** Whose sign-ins at MCP servers are used: the member, or the owner of the token. */
export function memberIdOf(principal: Principal): string | null {
  switch (principal.kind) {
    case 'member':
      return principal.id;
    case 'token':
      return principal.ownerId;
    case 'local':
      return LOCAL_MEMBER;
    case 'key':
    case 'stranger':
      return null;
  }
}

export interface AuditActor {
  readonly kind: AuditActorKind;
  readonly id: string | null;
  readonly name: string;
}

/** Actor in the audit log. */
export function auditActorOf(principal: Principal): AuditActor {
  const name = actorNameOf(principal) ?? 'nobody';
  if (principal.kind === 'member' || principal.kind === 'token') return { kind: principal.kind, id: principal.id, name };
  return { kind: principal.kind === 'key' ? 'key' : 'stranger', id: null, name };
}
