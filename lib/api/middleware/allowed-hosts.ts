import type { HostConfig } from '#lib/host/config.ts';

/**
 * Accepted `Host` and `Origin` values. A foreign page can resolve its own name to 127.0.0.1 (DNS rebinding) and then acts as if
 * it were ours; only these headers reveal it. So names are compared as text, never resolved, and other spellings of a loopback
 * address (`127.1`, `2130706433`, `localhost.`) are rejected.
 */
export interface AllowedHosts {
  isHost(host: string): boolean;
  /** `origin` of a request to `host`. */
  isOrigin(origin: string, host: string): boolean;
  /** URL of the dashboard under that name. */
  originOf(host: string): string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?$/;

export type AllowedHostsConfig = Pick<HostConfig, 'host' | 'allowedHosts' | 'allowedOrigins' | 'team'>;

/** `allowedHosts`: `host` (any port) or `host:port`; `allowedOrigins`: complete origins such as `https://status.example.com`. */
export function createAllowedHosts({ host: bound, allowedHosts, allowedOrigins, team }: AllowedHostsConfig): AllowedHosts {
  const publicUrl = team?.publicUrl ?? null;
  const publicHost = publicUrl === null ? null : new URL(publicUrl).host;
  const hosts = new Set([...LOOPBACK, ...allowedHosts.map((name) => name.toLowerCase()), ...(publicHost === null ? [] : [publicHost])]);
  const own = bound.toLowerCase();
  hosts.add(own.includes(':') && !own.startsWith('[') ? `[${own}]` : own);
  const knownOrigins = new Set([...allowedOrigins, ...(publicUrl === null ? [] : [publicUrl])].map((origin) => origin.toLowerCase()));
  let lastHost: string | null = null;

  const isHost = (host: string): boolean => {
    if (host === lastHost) return true;
    const lower = host.toLowerCase();
    const [, name, port] = HOST.exec(lower) ?? [];
    if (name === undefined || (port !== undefined && Number(port) > 65_535)) return false;
    if (!hosts.has(name) && !hosts.has(lower)) return false;
    lastHost = host;
    return true;
  };

  return {
    isHost,
    originOf: (host) => (publicUrl !== null && host.toLowerCase() === publicHost ? publicUrl : `http://${host}`),
    isOrigin(origin, host) {
      const [given, asked] = [origin.toLowerCase(), host.toLowerCase()];
      // The public name is https only: an http origin there is an attacker in between.
      return knownOrigins.has(given) || (asked !== publicHost && given === `http://${asked}`);
    },
  };
}
