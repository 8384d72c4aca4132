import { describeExports } from './describe-exports.ts';
import { toIssues } from './issues.ts';
import { type CallRunner, createCallRunner } from './run-call.ts';
import { publishWarm } from './warm.ts';
import type { HostLink } from './host-link.ts';
import type { SchemaCompiler } from './validators.ts';

/**
 * A prewarmed process rehearses an import, a schema and a call, so that the first real ones find everything loaded. In small steps:
 * a load that arrives meanwhile waits for at most one step.
 */
const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, pattern: '^2', format: 'date', description: 'A text' },
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
const NOWHERE: HostLink = { send: () => undefined, backlog: () => 0 };
/** Valid and refused arguments take different code paths. */
const GOOD = '{"text":"2000-01-01","list":[null],"inner":{"size":1}}';
const ROUNDS = 6;
const IDLE_MS = 15;

/**
 * @param link receives the answers of the rehearsed calls
 * @returns a function that stops it
 */
export function warmUp(compiler: SchemaCompiler, link = NOWHERE): () => void {
  const calls = createCallRunner({
    link,
    writer: { write: () => undefined, writeSaid: () => undefined, trace: () => undefined, end: () => undefined },
    extension: 'a',
    workspaceRoot: '/',
    ownFolders: [],
    childProgram: '/',
    maxResultBytes: 1_000,
  });
  const steps: (() => unknown)[] = [() => import(EMPTY_MODULE)];
  for (let round = 0; round < ROUNDS; round += 1) steps.push(() => rehearse(compiler, calls, round));
  let timer: NodeJS.Timeout | null = setTimeout(function next() {
    steps.shift()?.();
    timer = steps.length > 0 ? setTimeout(next, 1) : null;
    if (timer === null) publishWarm();
  }, IDLE_MS);
  return () => {
    if (timer !== null) clearTimeout(timer);
  };
}

function rehearse(compiler: SchemaCompiler, calls: CallRunner, round: number): void {
  const schema = structuredClone(SCHEMA);
  const TOOL = {
    label: 'a',
    name: 'a',
    description: 'a',
    parameters: schema,
    execute: async () => ({ text: 'a', list: [round, null, true] }),
  };
  const described = describeExports({ TOOL });
  JSON.stringify(described);
  const compiled = compiler.compile(schema);
  if (!compiled.ok) return;
  toIssues(compiled.validate({ wrong: 1, list: [1], inner: {} }, false));
  const tool = { name: 'a', tool: TOOL, parameters: compiled.validate, output: null };
  void calls.run(2 * round, { callId: 'a' }, tool, GOOD);
  void calls.run(2 * round + 1, { callId: 'a' }, tool, '{}');
}
