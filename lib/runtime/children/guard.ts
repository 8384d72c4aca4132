import { parseExactJson } from '#lib/contract/exact-json.ts';
import { createHostLink } from './host-link.ts';
import { invalidArguments, invalidResult, issuesOf, restoreSlot, readArguments } from './check-values.ts';
import { type CompileOutcome, createSchemaCompiler } from './validators.ts';
import { publishWarm } from './warm.ts';
import { type HostMessage, PROTOCOL_VERSION } from '../messages.ts';

/** Runs in the guard's process: validates values for runtimes without their own validator. */
const compiler = createSchemaCompiler({ integers: 'bigints' });
const compiled = new Map<number, CompileOutcome>();
const link = createHostLink((header, payload) => handle(header as unknown as HostMessage, payload.toString('utf8')));
link.send({ type: 'hello', protocolVersion: PROTOCOL_VERSION });
publishWarm();

function handle(message: HostMessage, text: string): void {
  if (message.type === 'schema') compiled.set(message.id, compiler.compile(parseExactJson(text)));
  if (message.type !== 'check') return;
  const schema = compiled.get(message.schema);
  if (schema === undefined) return;
  const refuse = (value: unknown): void => link.send({ type: 'checked', id: message.id, ok: false }, JSON.stringify(value));
  const accept = (value?: string): void => link.send({ type: 'checked', id: message.id, ok: true }, value);
  if (!schema.ok) {
    const { path, message: words } = schema;
    return refuse(
      message.what === 'schema'
        ? { path, message: words }
        : { kind: 'extension_unavailable', message: `The schema of this tool ${words}.` },
    );
  }
  switch (message.what) {
    case 'schema':
      return accept();
    case 'arguments': {
      const { args, issues, exact } = readArguments(schema.validate, text);
      if (issues.length > 0) return refuse(invalidArguments(issues));
      restoreSlot(args, exact);
      return accept(JSON.stringify(args));
    }
    case 'result': {
      const issues = issuesOf(schema.validate, JSON.parse(text), text);
      return issues.length > 0 ? refuse(invalidResult(issues, { result: JSON.parse(text) as unknown })) : accept();
    }
  }
}
