import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROLES } from '#lib/access/roles.ts';
import { type Action, ACTIONS, ROLE_NAMES } from '#lib/contract/actions.ts';
import { METHOD_ACTIONS } from '#lib/mcp/method-actions.ts';
import { ROUTES } from './routes.ts';

/** Actions that are checked outside of routes and MCP methods. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'pages.enter': '`/sign-in`, `/join` and the files of pages',
  'pages.read': 'pages and their files',
  'calls.cancel': 'MCP `notifications/cancelled`',
  'extensions.edit': 'the MCP tools `switchboard_…`',
};

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

function entriesOf(action: Action): string[] {
  const written = (method: string, path: string): string => `\`${method} ${path.replace('/api/v1', '').replace(/:(\w+)/g, '{$1}')}\``;
  return [
    ...ROUTES.filter((route) => route.action === action).map(({ method, path }) => written(method, path)),
    ...ROUTES.filter((route) => route.also?.action === action).map(({ method, path }) => `${written(method, path)} by its body`),
    ...Object.entries(METHOD_ACTIONS).flatMap(([method, its]) => (its === action ? [`MCP \`${method}\``] : [])),
    ...(ELSEWHERE[action] === undefined ? [] : [ELSEWHERE[action]]),
  ];
}

const actions = Object.keys(ACTIONS).filter(isAction);

it('docs/security.md lists every action with its roles, routes and methods', () => {
  const rows = actions.map((action) => {
    const roles = ROLE_NAMES.map((role) => (ROLES[role].has(action) ? 'yes' : ''));
    return `| \`${action}\` | ${ACTIONS[action]} | ${roles.join(' | ')} | ${entriesOf(action).join(', ')} |`;
  });
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const written = page.split('\n').filter((line) => /^\| `[a-z_]+\.[a-z_]+` \|/.test(line));
  expect(written.map((line) => line.replace(/ +/g, ' '))).toEqual(rows.map((row) => row.replace(/ +/g, ' ')));
});

it('every action is used by a route or a method', () => {
  expect(actions.filter((action) => entriesOf(action).length === 0)).toEqual([]);
});
