import type { Awaits, FieldPlan, NamedPart } from './field-plan.ts';
import type { Awaiting } from './resolve-schema.ts';
import { listOf, nodeOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';

/*
 * By JSON Schema a condition on a name that is not sent holds, so that what it asks for is asked for before anybody chose: the
 * check says so as well, and leaving the fields out would leave its complaints without a place. Each of them says why it counts.
 */

/** The plan of an object whose fields know for which other names they wait. */
export function withAwaits(plan: FieldPlan, awaiting: readonly Awaiting[], settled: SchemaNode): FieldPlan {
  if (plan.control !== 'object') return plan;
  const fields = plan.fields.map((field): NamedPart => {
    const awaits = awaitsOf(field.name, plan.required.includes(field.name), awaiting, settled);
    return awaits === null ? field : { ...field, awaits };
  });
  return { ...plan, fields };
}

function awaitsOf(name: string, required: boolean, awaiting: readonly Awaiting[], settled: SchemaNode): Awaits | null {
  const isAsked = (node: SchemaNode) => listOf(node['required']).includes(name);
  const isKnown = (node: SchemaNode) => Object.hasOwn(nodeOf(node['properties']), name) || isAsked(node);
  const what = !isKnown(settled) ? 'field' : required && !isAsked(settled) ? 'required' : null;
  if (what === null) return null;
  const names = awaiting.filter(({ branch }) => (what === 'field' ? isKnown(branch) : isAsked(branch))).flatMap((each) => each.names);
  return names.length === 0 ? null : { names: [...new Set(names)], what };
}

/** Why a field counts, in words; null where nothing is waited for. */
export function awaitsInWords(awaits: Awaits | undefined, titleOf: (name: string) => string): string | null {
  if (awaits === undefined) return null;
  const names = new Intl.ListFormat('en', { type: 'conjunction' }).format(awaits.names.map(titleOf));
  return `${awaits.what === 'field' ? 'Counts' : 'Required'} as long as nothing is given for ${names}.`;
}
