import type { FailureReport } from './messages.ts';

/** Reports where in a tool's schema a validator failed. `wrong.path` is a JSON Pointer into the schema. */
export function invalidSchema(
  tool: string,
  subject: readonly (string | number)[],
  field: string,
  wrong: { readonly path: string; readonly message: string },
): FailureReport {
  const keys = wrong.path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const where = wrong.path === '' ? `\`${field}\` of ${tool}` : `\`${field}\` of ${tool} at ${wrong.path}`;
  return { code: 'parameters_invalid', message: `${where} ${wrong.message}`, subject: [...subject, field, ...keys] };
}
