import { expect, test } from 'vitest';
import type { FailureChanges } from '#lib/contract/failure-group.ts';
import { groupAsMarkdown } from './FailureHead.tsx';
import { groupFixture } from './group-for-tests.ts';

const changes: FailureChanges = {
  failing_revision: 4,
  good_revision: 3,
  comparable: true,
  packages: [{ name: 'left-pad', before: '1.0.0', after: '2.0.0' }],
  note: null,
  files: [
    {
      path: 'weather/extension.ts',
      change: 'changed',
      guilty: true,
      added: 1,
      removed: 1,
      hunks: [
        {
          old_start: 3,
          new_start: 3,
          guilty: true,
          lines: [
            { kind: 'removed', text: 'fine();' },
            { kind: 'added', text: 'boom(); // ```' },
          ],
        },
      ],
    },
  ],
};

test('has the error, its status, the permalink and the most suspicious lines', () => {
  const group = groupFixture({
    assignee: 'Ada',
    regression: true,
    resolved_by: { revision: 3, snapshot_version: 3 },
    regressed_by: { revision: 4, snapshot_version: 4 },
  });
  const text = groupAsMarkdown(group, changes, 'https://board.example');
  expect(text).toContain('### weather: boom');
  expect(text).toContain('- status: open (regression: fixed in revision 3, failed again in revision 4)');
  expect(text).toContain('- assignee: Ada');
  expect(text).toContain('- package `left-pad`: 1.0.0 → 2.0.0');
  expect(text).toContain('- https://board.example/failures/g1');
  expect(text).toContain('````diff\n-fine();\n+boom(); // ```\n````');
});

test('omits the diff without a comparison', () => {
  expect(groupAsMarkdown(groupFixture(), undefined, '')).not.toContain('diff');
});
