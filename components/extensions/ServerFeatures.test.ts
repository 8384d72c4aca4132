import { expect, it } from 'vitest';
import { variablesOf } from './ServerFeatures.tsx';

it.each<[string, readonly string[]]>([
  ['note://all', []],
  ['note://{id}', ['id']],
  ['files://{+path}/{name*}{?from,to:3}', ['path', 'name', 'from', 'to']],
  ['twice://{a}/{a}', ['a']],
  ['broken://{a', []],
])('reads the variables of %s', (template, names) => {
  expect(variablesOf(template)).toEqual(names);
});
