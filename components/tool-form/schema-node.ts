import { isJsonObject } from './json-text.ts';

export type SchemaNode = Readonly<Record<string, unknown>>;

/** `true` and non-schemas allow everything. */
export function nodeOf(schema: unknown): SchemaNode {
  return isJsonObject(schema) ? schema : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Declared types without `null`; else inferred from other keywords. */
export function typesOf(node: SchemaNode): { readonly types: readonly string[]; readonly nullable: boolean } {
  const named = (typeof node['type'] === 'string' ? [node['type']] : listOf(node['type'])).filter((type) => typeof type === 'string');
  const nullable = named.includes('null') || node['nullable'] === true;
  const types = named.filter((type) => type !== 'null');
  if (named.length > 0)
    return { types: types.length === 2 && types.includes('integer') && types.includes('number') ? ['number'] : types, nullable };
  if (['properties', 'patternProperties', 'additionalProperties', 'required', 'propertyNames'].some((word) => word in node))
    return { types: ['object'], nullable };
  if ('items' in node || 'prefixItems' in node || 'minItems' in node || 'maxItems' in node) return { types: ['array'], nullable };
  if ('minLength' in node || 'maxLength' in node || 'pattern' in node || 'format' in node) return { types: ['string'], nullable };
  if ('minimum' in node || 'maximum' in node || 'multipleOf' in node) return { types: ['number'], nullable };
  return { types: [], nullable };
}

export function limitsInWords(node: SchemaNode, type: string): string | null {
  if (type === 'integer' || type === 'number') {
    const min = numberOf(node['minimum']);
    const max = numberOf(node['maximum']);
    const above = numberOf(node['exclusiveMinimum']);
    const below = numberOf(node['exclusiveMaximum']);
    const step = numberOf(node['multipleOf']);
    const both = min !== null && max !== null;
    const parts = [
      both ? `${min} to ${max}` : min === null ? null : `${min} or more`,
      above === null ? null : `more than ${above}`,
      both || max === null ? null : `${max} or less`,
      below === null ? null : `less than ${below}`,
      step === null ? null : `a multiple of ${step}`,
    ].filter((part) => part !== null);
    return parts.length === 0 ? (type === 'integer' ? 'a whole number' : null) : parts.join(', ');
  }
  if (type === 'string') return countInWords(numberOf(node['minLength']), numberOf(node['maxLength']), 'characters');
  if (type === 'array') return countInWords(numberOf(node['minItems']), numberOf(node['maxItems']), 'items');
  if (type === 'object') return countInWords(numberOf(node['minProperties']), numberOf(node['maxProperties']), 'names');
  return null;
}

function countInWords(min: number | null, max: number | null, what: string): string | null {
  const some = min === 0 || (min === 1 && what === 'characters') ? null : min;
  if (some !== null && max !== null) return some === max ? `exactly ${max} ${what}` : `${some} to ${max} ${what}`;
  if (max !== null) return `at most ${max} ${what}`;
  return some === null ? null : `at least ${some} ${some === 1 ? what.slice(0, -1) : what}`;
}
