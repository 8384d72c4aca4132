import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentClients } from './agent-clients.ts';

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');

describe('client configurations', () => {
  it.each(agentClients('http://127.0.0.1:3000/mcp'))('docs/mcp.md has the configuration for $name', ({ name, text, where }) => {
    const [, section = ''] = page.split(`\n## ${name}\n`);
    expect(section.split('\n## ', 1)[0]).toContain(text);
    for (const [, file = ''] of where.matchAll(/`([^`]*\/[^`]*)`/g)) expect(section).toContain(file);
  });

  it('are valid JSON for any URL', () => {
    for (const { text } of agentClients('http://[::1]:41234/mcp').filter(({ language }) => language === 'json'))
      expect(JSON.stringify(JSON.parse(text))).toContain('http://[::1]:41234/mcp');
  });
});
