import { isIP } from 'node:net';
import { isValidName, NAME_RULE } from '#lib/contract/names.ts';
import { escapeControl } from './escape-control.ts';
import { PERMISSIONS } from './config.ts';
import type { ExtensionPermission } from './config.ts';

/** The variables with comma-separated lists. Spaces around an entry and empty entries are ignored. */

export type ReadList<Entry> = { readonly ok: true; readonly value: readonly Entry[] } | { readonly ok: false; readonly reason: string };

/** The beginning of every error: one line, whatever the value contains. */
export function errorPrefix(name: string, given: string): string {
  const shown = escapeControl(given.length > 120 ? `${given.slice(0, 120)}…` : given);
  return `${name} is "${shown}"; accepted:`;
}

/** A URL for display: its password may contain any character, even an unencoded `@` or `/`. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@').replace(/\?.*$/s, '?…');
}

/** Case-insensitive: returned in lower case. */
export function readExcluded(name: string, given: string | undefined): ReadList<string> {
  const entries = split(given);
  const wrong = entries.find((entry) => !/^[\w./-]+$/.test(entry));
  if (wrong !== undefined)
    return { ok: false, reason: `${errorPrefix(name, wrong)} names separated by commas, such as weather,tools/word_count.` };
  return { ok: true, value: entries.map((entry) => entry.toLowerCase()) };
}

/** When several people write extensions, they get the server's shell variables only by name. */
export function readEnvNames(given: string | undefined, isTeam: boolean): ReadList<string> {
  const entries = given === undefined && !isTeam ? ['*'] : split(given);
  const wrong = entries.find((entry) => entry !== '*' && !/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(entry));
  if (wrong === undefined) return { ok: true, value: entries };
  return { ok: false, reason: `${errorPrefix('EXTENSION_ENV', wrong)} names of variables, PREFIX_* or *, separated by commas.` };
}

export function readPermissions(given: string | undefined): ReadList<ExtensionPermission> {
  const pairs: ExtensionPermission[] = [];
  for (const entry of given === undefined ? ['*:net', 'shell:run'] : split(given)) {
    const colon = entry.lastIndexOf(':');
    const extension = entry.slice(0, Math.max(colon, 0));
    const permission = PERMISSIONS.find((known) => known === entry.slice(colon + 1));
    if (permission === undefined || !(extension === '*' || isExtensionId(extension))) {
      return {
        ok: false,
        reason: `${errorPrefix('EXTENSION_ALLOW', entry)} pairs id:permission separated by commas; id is * or the id of an extension (${NAME_RULE}), permission one of ${PERMISSIONS.join(', ')}.`,
      };
    }
    pairs.push({ extension, permission });
  }
  return { ok: true, value: pairs };
}

export function readAllowedHosts(given: string | undefined): ReadList<string> {
  const entries = split(given).map((entry) => entry.toLowerCase());
  const wrong = entries.find((entry) => {
    const [, port = '0'] = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(entry) ?? [entry, 'none'];
    return !(Number(port) <= 65_535);
  });
  if (wrong === undefined) return { ok: true, value: entries };
  return {
    ok: false,
    reason: `${errorPrefix('ALLOWED_HOSTS', wrong)} names as host or host:port, separated by commas, without http:// and without wildcards.`,
  };
}

export function readAllowedOrigins(given: string | undefined): ReadList<string> {
  const entries = split(given).map((entry) => entry.toLowerCase());
  const wrong = entries.find((entry) => !/^https?:\/\//.test(entry) || !URL.canParse(entry) || new URL(entry).origin !== entry);
  if (wrong === undefined) return { ok: true, value: entries };
  return {
    ok: false,
    reason: `${errorPrefix('ALLOWED_ORIGINS', wrong)} origins such as https://board.example.com, separated by commas, without a path.`,
  };
}

/** Addresses, and networks as `10.0.0.0/8`. */
export function readNetworks(name: string, given: string | undefined): ReadList<string> {
  const entries = split(given).map((entry) => entry.toLowerCase());
  const wrong = entries.find((entry) => {
    const [address = '', bits, ...more] = entry.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    return isIP(address) === 0 || more.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most));
  });
  if (wrong === undefined) return { ok: true, value: entries };
  return { ok: false, reason: `${errorPrefix(name, wrong)} addresses and networks such as 127.0.0.1 and 10.0.0.0/8, separated by commas.` };
}

function isExtensionId(id: string): boolean {
  const parts = id.split('/');
  if (parts.length === 1) return isValidName(id);
  return parts.length === 2 && (parts[0] === 'tools' || parts[0] === 'channels') && isValidName(parts[1] ?? '');
}

function split(given: string | undefined): string[] {
  return (given ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
