import { afterEach, expect, it } from 'vitest';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

/** All ways to write the same error. */
const FILES = {
  'tools/tell_by_options.ts': `throw new ToolError('No bed.', { kind: 'not_found', data: { floor: 2 } });`,
  'tools/tell_kind_last.ts': `throw new ToolError('No bed.', 'not_found', { floor: 2 });`,
  'tools/tell_kind_first.ts': `throw new ToolError('not_found', 'No bed.', { floor: 2 });`,
  'tools/tell_by_keywords.py': `raise ToolError("No bed.", kind="not_found", data={"floor": 2})`,
  'tools/tell_in_order.py': `raise ToolError("No bed.", "not_found", {"floor": 2})`,
  'tools/tell_by_enum.py': `import enum\n    kind = enum.Enum("Kind", {"NOT_FOUND": "not_found"}).NOT_FOUND\n    raise ToolError("No bed.", kind=kind, data={"floor": 2})`,
  'tools/tell_kind_before.py': `raise ToolError("not_found", "No bed.", data={"floor": 2})`,
};

const inTypeScript = (body: string): string =>
  `import { ToolError } from 'switchboard';\n/** Always fails. */\nexport function run(): void {\n  ${body}\n}\n`;
const inPython = (body: string): string => `from switchboard import ToolError\n\n\ndef run():\n    """Always fails."""\n    ${body}\n`;

it('preserves the kind and the data of a ToolError in every notation', async () => {
  living = await startHost(
    Object.fromEntries(Object.entries(FILES).map(([file, body]) => [file, file.endsWith('.py') ? inPython(body) : inTypeScript(body)])),
  );
  for (const file of Object.keys(FILES)) {
    const tool = file.slice('tools/'.length, -'.ts'.length);
    const { error } = await living.call(tool, {});
    expect(error, file).toEqual({ kind: 'not_found', message: 'No bed.', data: { floor: 2 } });
  }
});

it('ignores an invalid kind', async () => {
  living = await startHost({
    'tools/tell_alone.ts': inTypeScript(`throw new ToolError('not_found');`),
    'tools/tell_twice.ts': inTypeScript(`throw new ToolError('Nothing.', 'gone' as 'not_found');`),
  });
  expect((await living.call('tell_alone', {})).error).toEqual({ kind: 'execution_error', message: 'not_found' });
  expect((await living.call('tell_twice', {})).error).toEqual({ kind: 'execution_error', message: 'Nothing.' });
});
