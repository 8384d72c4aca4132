import { expect, it } from 'vitest';
import { appOf, appPolicy } from './mcp-apps.ts';

it('reads the page of a tool and its visibility', () => {
  expect(appOf(undefined)).toEqual({ uri: null, isForModel: true, isForApp: true });
  expect(appOf({ ui: { resourceUri: 'ui://a/b', visibility: ['app'] } })).toEqual({ uri: 'ui://a/b', isForModel: false, isForApp: true });
  expect(appOf({ 'ui/resourceUri': 'ui://old' }).uri).toBe('ui://old');
  expect(appOf({ ui: { resourceUri: 'https://elsewhere.example', visibility: 'all' } })).toEqual({
    uri: null,
    isForModel: true,
    isForApp: true,
  });
  expect(appOf({ ui: 'nonsense' }).uri).toBeNull();
});

it('lets an app reach only the hosts that it declares', () => {
  const policy = appPolicy({ ui: { csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.cdn.example'] } } });
  expect(policy).toContain('connect-src https://api.example.com;');
  expect(policy).toContain("script-src 'unsafe-inline' https://*.cdn.example;");
});

it.each([["https://a.example; script-src 'self'"], ["'self'"], ['*'], ['http://a.example'], ['https://a.example/path']])(
  'adds no other source to the policy: %s',
  (source) => {
    const policy = appPolicy({ ui: { csp: { connectDomains: [source], resourceDomains: [source] } } });
    expect(policy).toBe(appPolicy(undefined));
    expect(policy).toContain("connect-src 'none'");
  },
);
