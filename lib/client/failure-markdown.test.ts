import { expect, it } from 'vitest';
import { failedCheckItems, failureAsMarkdown, messageBesideChecks, locationOf } from './failure-markdown.ts';
import { failureRecord } from '#lib/testing/api-records.ts';

const failure = failureRecord({
  revision: 4,
  message: 'Expected ";"',
  hint: 'Fix the marked line.',
  file: 'weather/extension.ts',
  line: 12,
  column: 5,
  code_frame: '> 12 | const a = ```;',
  snapshot_version: 3,
  count: 2,
});

it('names the location as far as it is known', () => {
  expect(locationOf(failure)).toBe('weather/extension.ts:12:5');
  expect(locationOf({ ...failure, column: null })).toBe('weather/extension.ts:12');
  expect(locationOf({ ...failure, line: null })).toBe('weather/extension.ts');
  expect(locationOf({ ...failure, file: null })).toBeNull();
});

it('writes location, hint and code frame in a fence that the frame cannot close', () => {
  expect(failureAsMarkdown(failure)).toBe(
    '### weather: Expected ";"\n\n- code: `syntax_error` (build)\n- location: `weather/extension.ts:12:5`\n- revision: 4\n- last seen: 2026-11-21T11:58:00Z, 2 times\n\n**What to do:** Fix the marked line.\n\n````\n> 12 | const a = ```;\n````\n',
  );
});

it('shows each failed check with expected and actual result', () => {
  const check = { saved_call_id: 's', tool: 'say_it', name: 'One', reason: 'result is 2, not 1.', expected: '{"result_includes":1}' };
  const failed = {
    ...failure,
    failed_checks: [
      { ...check, came: '{"status":"succeeded","result":2}' },
      { ...check, came: null },
    ],
  };
  const text = failureAsMarkdown(failed);
  expect(text).toContain(
    'Check **One** of `say_it` failed. Expected:\n\n```\n{"result_includes":1}\n```\n\nActual:\n\n```\n{"status":"succeeded","result":2}\n```',
  );
  expect(text).toContain('The tool was not called.');
  expect(failedCheckItems(failed)[0]).toMatchObject({
    name: 'One',
    href: '/tools/say_it?saved=s',
    expected: '{\n  "result_includes": 1\n}',
  });
  const cut = {
    ...failed,
    message: 'Two did not pass.\n- One: no',
    failed_checks: [
      { ...check, came: '{"status":"succ…' },
      { ...check, came: null },
    ],
  };
  expect(failedCheckItems(cut).map(({ actual }) => actual)).toEqual(['{"status":"succ…', null]);
  expect(messageBesideChecks(cut)).toBe('Two did not pass.');
  expect(messageBesideChecks({ ...failure, message: 'a\nb' })).toBe('a\nb');
  expect(failedCheckItems(failure)).toEqual([]);
});
