/**
 * Redirect addresses of OAuth clients: where a code may be sent. What can go wrong: an address that runs code or reads a file in the
 * browser (`javascript:`); an unencrypted one on the network; one that only begins like the registered one. So the comparison is
 * exact, but for the port of a loopback address, which a native application chooses when it starts (RFC 8252).
 */
const DENIED =
  /^(?:about|blob|chrome|chrome-extension|data|file|filesystem|ftp|intent|javascript|mailto|moz-extension|resource|tel|vbscript|view-source|ws|wss):/i;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Why an address cannot be registered; null if it can. */
export function redirectFault(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  const shown = `The redirect_uri "${uri.slice(0, 100)}"`;
  if (url === null || /[\s\\]/.test(uri)) return `${shown} is no absolute address.`;
  if (uri.includes('#')) return `${shown} has a fragment; remove it.`;
  if (url.username !== '' || url.password !== '') return `${shown} has a user name or password; remove it.`;
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:')
    return LOOPBACK.has(url.hostname) ? null : `${shown} is not encrypted; use https, or http on 127.0.0.1, [::1] or localhost.`;
  return DENIED.test(uri) ? `${shown} has a scheme that no application may have here.` : null;
}

export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (redirectFault(asked) !== null) return false;
  return registered.includes(asked) || registered.some((one) => isLoopback(one) && withoutPort(one) === withoutPort(asked));
}

export function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}

/** Adds parameters to a registered address, which may have its own. */
export function redirectTo(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** For people: the host, or the scheme of an application. */
export function shownTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
