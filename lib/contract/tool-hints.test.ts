import { expect, it } from 'vitest';
import { isDestructive, needsProbeConfirmation } from './tool-hints.ts';
import type { ToolAnnotations } from './tool.ts';

it.each<[ToolAnnotations, boolean]>([
  [{}, false],
  [{ destructiveHint: true }, true],
  [{ destructiveHint: false }, false],
  [{ readOnlyHint: false, destructiveHint: true }, true],
  [{ readOnlyHint: true, destructiveHint: true }, false],
])('a tool with %j is destructive: %s', (annotations, expected) => {
  expect(isDestructive({ annotations })).toBe(expected);
});

it.each<[ToolAnnotations, own: boolean, ofServer: boolean]>([
  [{}, false, true],
  [{ title: 'x' }, false, true],
  [{ destructiveHint: true }, true, true],
  [{ destructiveHint: false }, false, false],
  [{ readOnlyHint: true }, false, false],
  [{ readOnlyHint: false }, false, true],
  [{ readOnlyHint: true, destructiveHint: true }, false, false],
])('a tool with %j needs confirmation: %s, and one of an MCP server: %s', (annotations, own, ofServer) => {
  expect([needsProbeConfirmation({ annotations, runtime: 'node' }), needsProbeConfirmation({ annotations, runtime: 'mcp' })]).toEqual([
    own,
    ofServer,
  ]);
});
