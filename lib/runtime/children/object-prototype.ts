import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FailureReport } from '../messages.ts';

/**
 * Properties that an extension or package adds to `Object.prototype` appear on every object of its process, also on those used to
 * describe, validate and answer. Most are harmless once they are not enumerable.
 */
const OWN = new Set(Reflect.ownKeys(Object.prototype));
/** Read from any object by `JSON.stringify`, by `await`, by `Object.defineProperty`. */
const READ_BY_LANGUAGE = ['toJSON', 'then', 'get', 'set', 'value', 'writable', 'enumerable', 'configurable'];

/** Makes additions non-enumerable. Removes those that cannot stay, and reports them; null if there are none. */
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
    message: `The file adds ${names.join(', ')} to \`Object.prototype\`: every object in its process then has this property, so its tools can be neither validated nor called.`,
    hint: 'Use a function or a class instead, or add it only to the objects that need it.',
  };
}
