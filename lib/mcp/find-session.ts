import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { refuse, ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Refusal } from './json-rpc.ts';
import { HEADERS, isLegacyVersion, LEGACY_VERSIONS, MODERN_VERSION, RPC } from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';

export type SessionFound =
  /** Null for clients without a session, which is allowed. */
  { readonly ok: true; readonly session: Session | null } | { readonly ok: false; readonly refusal: Refusal };

const OVER = 'This session is over or was none. Begin a new one with initialize.';

/** Session of a message of the 2025 protocols, by its headers. */
export function findSession(sessions: Sessions, headers: McpHeaders, isInitialize: boolean): SessionFound {
  const version = unservedVersion(headers);
  if (version !== null) {
    const served = [MODERN_VERSION, ...LEGACY_VERSIONS].join(', ');
    const message = `Protocol version "${version}" is not served here (served: ${served}).`;
    return { ok: false, refusal: { status: 400, code: RPC.refused, message } };
  }
  const id = headers.header(HEADERS.session);
  if (id === undefined || isInitialize) return { ok: true, session: null };
  const session = sessions.find(id, headers.caller.key);
  return session === null ? { ok: false, refusal: { status: 404, code: RPC.sessionNotFound, message: OVER } } : { ok: true, session };
}

/** Session for a stream or a termination; the transport answers rejections. */
export function findOwnSession(sessions: Sessions, headers: McpHeaders): Result<Session> {
  const version = unservedVersion(headers);
  if (version !== null)
    return refuse('method_not_allowed', `With protocol version ${version} only POST is used here; subscriptions/listen opens a stream.`, {
      extra: { allow: ['POST'] },
    });
  const id = headers.header(HEADERS.session);
  if (id === undefined)
    return refuse(
      'request_malformed',
      `This is the MCP endpoint for agents. The header ${HEADERS.session} is missing: a session begins with initialize.`,
    );
  const session = sessions.find(id, headers.caller.key);
  return session === null ? refuse('not_found', OVER) : ok(session);
}

/** The error message for its sender. */
function unservedVersion(headers: McpHeaders): string | null {
  const version = headers.header(HEADERS.protocolVersion)?.trim();
  return version === undefined || isLegacyVersion(version) ? null : version.slice(0, 40);
}
