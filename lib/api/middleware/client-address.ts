import { BlockList, isIP } from 'node:net';
import type { RequestHead } from '../request.ts';

/**
 * Client address for limits, the admin token guard and the audit. What can go wrong: anyone can send `X-Forwarded-For`, so it
 * is used only from a trusted proxy, and only the right-most hop that is not a trusted proxy: the client wrote everything left
 * of it.
 */
export type ClientAddress = (request: Pick<RequestHead, 'socket' | 'headers'>) => string;

const MOST_HOPS = 20;

/** @param trusted addresses and networks such as `10.0.0.0/8`, already validated */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string): boolean => proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

  return ({ socket, headers }) => {
    const peer = plain(socket.remoteAddress ?? '');
    if (trusted.length === 0 || !isProxy(peer)) return peer;
    const forwarded = headers['x-forwarded-for'];
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').slice(-MOST_HOPS);
    let client = peer;
    for (const hop of hops.reverse()) {
      const address = plain(withoutPort(hop.trim()));
      if (isIP(address) === 0) return client;
      client = address;
      if (!isProxy(address)) return client;
    }
    return client;
  };
}

/** IPv6 limits are per /64, the usual assignment. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, 4).map((part) => Number.parseInt(part, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** Some proxies write `1.2.3.4:50123` and `[2001:db8::5]:50123`. */
function withoutPort(hop: string): string {
  const [, inBrackets, ipv4] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? [];
  return inBrackets ?? ipv4 ?? hop;
}

/** An IPv4-mapped IPv6 address of a socket. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
