import { expect, it } from 'vitest';
import { checkOfFinding } from './probe-rules.ts';
import { FINDING_KINDS } from './probe.ts';
import { saveCallSchema } from './saved-call.ts';

it('saves each finding as a check that passes after the fix', () => {
  const report = { tool: 'book', timeout_ms: 5_000, slow_ms: 2_000 };
  const checks = FINDING_KINDS.map((kind) =>
    checkOfFinding(report, { kind, arguments: { nights: 42 }, message: 'No.', call_id: '0190aaaa-0000-7000-8000-000000abcdef' }),
  );
  for (const check of checks) expect(saveCallSchema.safeParse(check).success).toBe(true);
  const described = Object.fromEntries(
    FINDING_KINDS.map((kind, at) => [kind, [checks[at]?.timeout_ms, JSON.stringify(checks[at]?.expectation)]]),
  );
  const mended = '{"status":"succeeded","or_refused":true}';
  expect(described).toEqual({
    crash: [5_000, mended],
    hang: [5_000, mended],
    slow: [2_000, mended],
    result_breaks_schema: [5_000, mended],
    result_unusable: [5_000, mended],
    stack_in_message: [5_000, mended],
    invalid_accepted: [5_000, '{"status":"failed","error_kind":"invalid_parameters"}'],
  });
});
