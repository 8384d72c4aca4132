import { createHmac, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * Session cookie: token and signature. What can go wrong: cookies ignore ports, so every program on this machine can set one
 * with this name. A cookie without a valid signature (compared in constant time) is not looked up. `__Host-` prevents other
 * hosts from setting it, `SameSite=Lax` other sites from sending it.
 */
export interface SessionCookie {
  /** Token of a signed cookie in a `Cookie` header, or null. */
  read(cookies: string | undefined): string | null;
  /** For `Set-Cookie`. */
  write(token: string): string;
  /** For `Set-Cookie`: deletes the cookie. */
  readonly gone: string;
}

export const SESSION_COOKIE = '__Host-switchboard';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const TOKEN = /^[A-Za-z0-9]{20,64}$/;
/** Limits the signatures computed per header. */
const MOST_TRIED = 3;

export function createSessionCookie(secret: string): SessionCookie {
  const key = createHmac('sha256', secret).update('switchboard session cookie').digest();
  const sign = (token: string): Buffer => createHmac('sha256', key).update(token).digest();

  const verify = (value: string): string | null => {
    const dot = value.indexOf('.');
    const token = value.slice(0, dot);
    if (dot === -1 || !TOKEN.test(token)) return null;
    const given = Buffer.from(value.slice(dot + 1), 'base64url');
    const right = sign(token);
    return given.length === right.length && timingSafeEqual(given, right) ? token : null;
  };

  return {
    read(cookies) {
      if (cookies === undefined || !cookies.includes(SESSION_COOKIE)) return null;
      for (const value of valuesOf(cookies)) {
        const token = verify(value);
        if (token !== null) return token;
      }
      return null;
    },
    write: (token) =>
      `${SESSION_COOKIE}=${token}.${sign(token).toString('base64url')}; Max-Age=${LIMITS.sessionMostMs / 1_000}; ${ATTRIBUTES}`,
    gone: `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`,
  };
}

function valuesOf(cookies: string): string[] {
  const values: string[] = [];
  for (const pair of cookies.split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === SESSION_COOKIE) values.push(pair.slice(at + 1).trim());
    if (values.length === MOST_TRIED) return values;
  }
  return values;
}
