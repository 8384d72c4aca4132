import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FailureReport } from '../messages.ts';

/**
 * What an extension or a package of it adds to `Object.prototype` is a property of every object in its process, those too by
 * which its tools are described, checked and answered. Most additions do no harm once no loop over names meets them.
 */
const OWN = new Set(Reflect.ownKeys(Object.prototype));
/** Read from objects that need not have them: by `JSON.stringify`, by `await`, by `Object.defineProperty`. */
const READ_BY_LANGUAGE = ['toJSON', 'then', 'get', 'set', 'value', 'writable', 'enumerable', 'configurable'];

/** Hides what was added. What cannot stay is removed as far as it can be, and told; null where there is nothing such. */
export function settlePrototype(): FailureReport | null {
  const added = Reflect.ownKeys(Object.prototype).filter((name) => typeof name === 'string' && !OWN.has(name));
  if (added.length === 0) return null;
  const before = new Map(added.map((name) => [name, Object.getOwnPropertyDescriptor(Object.prototype, name)]));
  const lasting = added.filter((name) => !Reflect.deleteProperty(Object.prototype, name));
  const { keywords } = new Ajv2020({ strict: false }).RULES;
  const isRead = (name: string | symbol): boolean => READ_BY_LANGUAGE.includes(String(name)) || Object.hasOwn(keywords, name);
  const harmful = added.filter((name) => isRead(name) || (lasting.includes(name) && before.get(name)?.enumerable === true));
  for (const [name, property] of before) {
    if (property !== undefined && !harmful.includes(name))
      Object.defineProperty(Object.prototype, name, { ...property, enumerable: false });
  }
  if (harmful.length === 0) return null;
  const names = harmful.slice(0, 10).map((name) => `\`${String(name).slice(0, 100)}\``);
  return {
    code: 'import_error',
    message: `The file adds ${names.join(', ')} to \`Object.prototype\`: every object in its process has that then, and its tools can be neither checked nor called.`,
    hint: 'Write a function or a class for it, or give it to the objects alone that need it.',
  };
}
