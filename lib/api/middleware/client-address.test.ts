import { expect, test } from 'vitest';
import { createClientAddress, networkOf } from './client-address.ts';

function ask(trusted: readonly string[], peer: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return createClientAddress(trusted)({ socket: { remoteAddress: peer }, headers });
}

test.each([
  ['no proxy is trusted', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['the peer is not a trusted proxy', ['10.0.0.2'], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['a proxy sends no X-Forwarded-For', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy sends X-Forwarded-For', ['10.0.0.1'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['the client sent a forged hop before the hop of the proxy', ['10.0.0.1'], '10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
  ['there are two proxies in a row', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9, 1.2.3.4, 10.0.0.7', '1.2.3.4'],
  ['a proxy itself is the client', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.9', '10.0.0.9'],
  ['the proxy adds the port', ['10.0.0.1'], '10.0.0.1', '9.9.9.9, 1.2.3.4:50123', '1.2.3.4'],
  ['the proxy adds the port to IPv6', ['10.0.0.1'], '10.0.0.1', '[2001:db8::5]:50123', '2001:db8::5'],
  ['the proxy writes IPv6 in brackets', ['10.0.0.1'], '10.0.0.1', '[2001:db8::5]', '2001:db8::5'],
  ['a hop is not an address', ['10.0.0.1'], '10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
  ['the socket uses IPv6', ['10.0.0.1'], '::ffff:10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
  ['the proxy is reached by IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::5', '2001:db8::5'],
])('returns the client address when %s', (_, trusted, peer, forwarded, expected) => {
  expect(ask(trusted, peer, forwarded)).toBe(expected);
});

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:ffff::9', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('groups %s into %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
