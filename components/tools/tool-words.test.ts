import { describe, expect, it } from 'vitest';
import type { Tool } from '#lib/contract/tool.ts';
import { toolRecord } from '#lib/testing/api-records.ts';
import { groupTools, hintsOf, searchGroups } from './tool-words.ts';

function tool(name: string, extension: string, label: string): Tool {
  return toolRecord(name, { label, extension, description: `Does ${name}` });
}

const TOOLS = [tool('get_weather', 'weather', 'Data'), tool('add', 'math', 'Data'), tool('run_shell_command', 'shell', 'System')];

describe('tools', () => {
  it('are grouped by extension or by label, each sorted', () => {
    expect(groupTools(TOOLS, 'extension').map((group) => group.name)).toEqual(['math', 'shell', 'weather']);
    expect(groupTools(TOOLS, 'label').map((group) => group.tools.map((each) => each.name))).toEqual([
      ['add', 'get_weather'],
      ['run_shell_command'],
    ]);
  });

  it('match if every word of the search occurs in any field', () => {
    const groups = groupTools(TOOLS, 'extension');
    expect(searchGroups(groups, 'data WEATH').flatMap((group) => group.tools.map((each) => each.name))).toEqual(['get_weather']);
    expect(searchGroups(groups, 'nothing')).toEqual([]);
  });

  it('are described by their declared hints', () => {
    expect(hintsOf({ readOnlyHint: true, openWorldHint: true }).map((hint) => hint.word)).toEqual(['reads only', 'open world']);
    expect(hintsOf({ destructiveHint: true, idempotentHint: true }).map((hint) => hint.word)).toEqual(['destructive', 'repeatable']);
    expect(hintsOf({})).toEqual([]);
  });
});
