import { describeExports } from './describe-exports.ts';
import { toIssues } from './issues.ts';
import { createCallRunner } from './run-call.ts';
import type { SchemaCompiler } from './validators.ts';

/**
 * A process that waits for its extension goes through the motions once, so that the first real import, schema and call
 * find everything loaded. In small steps: a load that arrives meanwhile waits for one step at most.
 */
const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, pattern: '^a', format: 'date', description: 'A text' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
    kind: { enum: ['one', 'two'] },
    list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    flag: { type: 'boolean', default: false },
    inner: { type: 'object', properties: { size: { type: 'number' } }, required: ['size'], additionalProperties: false },
  },
  required: ['text'],
  additionalProperties: false,
};
const EMPTY_MODULE: string = 'data:text/javascript,export const TOOL = {};';
/** Its answers go nowhere. */
const CALLS = createCallRunner({
  link: { send: () => undefined, backlog: () => 0 },
  writer: { write: () => undefined, trace: () => undefined },
  extension: 'a',
  workspaceRoot: '/',
  ownFolders: [],
  childProgram: '/',
  maxResultBytes: 1_000,
});
const ROUNDS = 6;
const IDLE_MS = 15;

/** Returns a function that stops it. */
export function warmUp(compiler: SchemaCompiler): () => void {
  const steps: (() => unknown)[] = [() => import(EMPTY_MODULE)];
  for (let round = 0; round < ROUNDS; round += 1) steps.push(() => rehearse(compiler, round));
  let timer: NodeJS.Timeout | null = setTimeout(function next() {
    steps.shift()?.();
    timer = steps.length > 0 ? setTimeout(next, 1) : null;
  }, IDLE_MS);
  return () => {
    if (timer !== null) clearTimeout(timer);
  };
}

function rehearse(compiler: SchemaCompiler, round: number): void {
  const schema = structuredClone(SCHEMA);
  const TOOL = { label: 'a', name: 'a', description: 'a', parameters: schema, execute: () => ({ text: 'a', list: [round, null] }) };
  const described = describeExports({ TOOL });
  JSON.stringify(described);
  const compiled = compiler.compile(schema);
  if (!compiled.ok) return;
  toIssues(compiled.validate({ wrong: 1, list: [1], inner: {} }, false));
  void CALLS.run(round, { callId: 'a' }, { name: 'a', tool: TOOL, parameters: compiled.validate, output: null }, '{"text":"2000-01-01"}');
}
