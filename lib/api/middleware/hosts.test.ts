import { expect, test } from 'vitest';
import { createAllowedHosts } from './hosts.ts';

const TEAM = { secret: null, oidc: null, publicUrl: 'https://status.example.com:8443' };
const hosts = createAllowedHosts({ host: '0.0.0.0', allowedHosts: ['other.example.com'], allowedOrigins: [], team: TEAM });

test.each(['status.example.com:8443', 'STATUS.example.com:8443', 'localhost:3000', 'other.example.com'])('answers for %s', (host) => {
  expect(hosts.isHost(host)).toBe(true);
});

test.each(['status.example.com', 'status.example.com:443', 'status.example.com.:8443', 'example.com:8443', 'evil.example'])(
  'does not answer for %s',
  (host) => {
    expect(hosts.isHost(host)).toBe(false);
  },
);

test('accepts the public origin, but not the same name over http', () => {
  const host = 'status.example.com:8443';
  expect(hosts.isOrigin('https://status.example.com:8443', host)).toBe(true);
  for (const origin of ['http://status.example.com:8443', 'https://status.example.com', 'https://evil.example', 'null'])
    expect(hosts.isOrigin(origin, host)).toBe(false);
});

test('returns the origin of each host name', () => {
  expect(hosts.originOf('Status.example.com:8443')).toBe('https://status.example.com:8443');
  expect(hosts.originOf('localhost:3000')).toBe('http://localhost:3000');
});

test('uses http for the names of this machine', () => {
  expect(hosts.isOrigin('http://localhost:3000', 'localhost:3000')).toBe(true);
  expect(hosts.isOrigin('http://localhost:4000', 'localhost:3000')).toBe(false);
});
