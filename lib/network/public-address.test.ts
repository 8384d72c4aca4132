import { expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.1.1',
  '198.19.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:192.168.0.1',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  '2002:7f00:1::',
  '2001:db8::1',
  'client.example',
])('%s is not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'])('%s is a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
