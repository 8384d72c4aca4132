import { LIMITS } from '#lib/contract/limits.ts';
import type { SchemaFault } from './check-schema.ts';
import { kindOf, markOf } from './json-value.ts';
import type { SchemaPath } from '#lib/contract/subschemas.ts';

interface Place {
  readonly value: unknown;
  readonly path: SchemaPath;
}

/**
 * The first location that is not JSON, is nested too deeply, or has a name that would change the prototype. Ends on any input.
 */
export function findForeign(root: unknown): SchemaFault | null {
  const waiting: Place[] = [{ value: root, path: [] }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.path.length > LIMITS.bodyDepth) return { path: at.path.slice(0, 6), message: 'is nested too deeply.', hint: 'Flatten it.' };
    const mark = markOf(at.value);
    if (mark !== null && mark !== 'undefined')
      return {
        path: at.path,
        message: `is ${kindOf(at.value)}; only JSON may stand here.`,
        hint: at.path.at(-1) === 'type' ? 'Write types as words: `type: "string"`, not `type: String`.' : 'Write a plain JSON value here.',
      };
    if (typeof at.value !== 'object' || at.value === null || mark !== null) continue;
    for (const [key, value] of Object.entries(at.value)) {
      const path = [...at.path, Array.isArray(at.value) ? Number(key) : key];
      if (key === '__proto__')
        return {
          path,
          message: 'has a name that is not accepted, because it would change the object itself.',
          hint: 'Choose another name.',
        };
      waiting.push({ value, path });
    }
  }
  return null;
}
