import { expect, test } from 'vitest';
import { normaliseParameters } from '#lib/schema/normalise-parameters.ts';
import { inPython } from './python-messages.ts';

function hintFor(parameters: unknown): string | undefined {
  const outcome = normaliseParameters(parameters);
  if (outcome.ok) throw new Error('It was accepted.');
  const failed = inPython(() => ({
    ok: false,
    failure: { code: 'parameters_invalid', message: outcome.message, hint: outcome.hint ?? '' },
  }));
  const reworded = failed({ exports: [], values: {}, hasStatus: false });
  return reworded.ok ? undefined : reworded.failure.hint;
}

test.each([
  [
    [],
    'Write `"parameters": {"city": {"type": "string", "description": "…", "required": True}}`, or a JSON Schema with `"type": "object"`.',
  ],
  [{ city: null }, 'Write `"city": {"type": "string", "description": "…"}`.'],
  [{ city: { type: { '@@type': 'class' } } }, 'Write types as words: `"type": "string"`, not `"type": str`.'],
  [{ '@@type': 'library schema' }, 'Convert it where it is written, for example `"parameters": Model.model_json_schema()`.'],
  [{ city: { '@@type': 'library schema' } }, 'Convert the complete schema, for example `"parameters": Model.model_json_schema()`.'],
])('shows hints in Python syntax: %j', (parameters, hint) => {
  expect(hintFor(parameters)).toBe(hint);
});
