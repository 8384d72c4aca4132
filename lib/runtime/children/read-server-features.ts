import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { promptArgumentSchema, resourceTemplateSchema, serverPromptSchema, serverResourceSchema } from '#lib/contract/server-features.ts';
import type { ResourceTemplate, ServerPrompt, ServerResource } from '#lib/contract/server-features.ts';
import { isRecord } from '../frames.ts';
import { DESCRIPTION_CHARACTERS, excessOf, FURTHER_BYTES, kindOf, readText, TITLE_CHARACTERS } from './server-fields.ts';
import type { ListKind, Warn } from './server-fields.ts';

/**
 * Parses the resources, templates and prompts of an MCP server entry by entry and field by field, so that clients accept the
 * list: an invalid field is dropped with a warning, an entry without its address or name is left out. Null counts as absent.
 */
const ADDRESS_CHARACTERS = 4_096;
/** Of one list: all lists together must fit into a description. */
const LIST_BYTES = 1_048_576;
/** Addresses of Switchboard itself, which no server may claim. */
const OWN_ADDRESS = /^switchboard:/i;

export const RESOURCES: ListKind<ServerResource> = listOf('resources', 'resources', 'uri', serverResourceSchema);
export const TEMPLATES: ListKind<ResourceTemplate> = listOf(
  'resourceTemplates',
  'resource templates',
  'uriTemplate',
  resourceTemplateSchema,
);
export const PROMPTS: ListKind<ServerPrompt> = listOf('prompts', 'prompts', 'name', serverPromptSchema);

function listOf<Entry extends z.ZodRawShape>(
  field: string,
  words: string,
  key: string,
  schema: z.ZodObject<Entry, z.core.$loose>,
): ListKind<z.infer<z.ZodObject<Entry, z.core.$loose>>> {
  return {
    field,
    words,
    most: LIMITS.featuresPerExtension,
    read(listed, before) {
      if (listed === undefined || listed === null) return { entries: [], warnings: [] };
      if (!Array.isArray(listed)) return { entries: [], warnings: [`Its list of ${words} is ${kindOf(listed)}; it was left out.`] };
      const warnings: string[] = [];
      const entries = listed.flatMap((entry: unknown, at) => {
        const place = `Entry ${before + at + 1} of its list of ${words}`;
        const name = isRecord(entry) ? entry[key] : undefined;
        if (!isRecord(entry) || typeof name !== 'string' || name === '' || name.length > ADDRESS_CHARACTERS) {
          warnings.push(`${place} has no usable \`${key}\`; it was left out.`);
          return [];
        }
        if (OWN_ADDRESS.test(name)) {
          warnings.push(`${place} has an address of Switchboard itself (${name.slice(0, 100)}); it was left out.`);
          return [];
        }
        const warn: Warn = (text) => warnings.push(`${name.slice(0, 100)}: ${text}`);
        const excess = excessOf(entry, DESCRIPTION_CHARACTERS + FURTHER_BYTES);
        if (excess !== null) warn(`It ${excess}; it was left out.`);
        const read = excess === null ? schema.safeParse(readEntry(entry, name, schema.shape, warn)) : null;
        return read?.success === true ? [read.data] : [];
      });
      return { entries, warnings };
    },
  };
}

function readEntry(entry: Readonly<Record<string, unknown>>, key: string, shape: z.core.$ZodShape, warn: Warn): object {
  const fields = Object.entries(entry).flatMap(([field, value]): [string, unknown][] => {
    if (value === null) return [];
    if (field === 'title' || field === 'description') {
      const text = readText(value, `\`${field}\``, field === 'title' ? TITLE_CHARACTERS : DESCRIPTION_CHARACTERS, warn);
      return text === '' && value !== '' ? [] : [[field, text]];
    }
    if (field === 'arguments') return [[field, readArguments(value, warn)]];
    const schema = shape[field];
    if (schema === undefined || z.safeParse(schema, value).success) return [[field, value]];
    if (field !== 'name') warn(`Its \`${field}\` is invalid; it was left out.`);
    return [];
  });
  // Clients require a name; some servers only send an address.
  return { name: key, ...Object.fromEntries(fields) };
}

function readArguments(value: unknown, warn: Warn): readonly object[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  if (!Array.isArray(value)) warn(`Its \`arguments\` is ${kindOf(value)}, not a list; it was left out.`);
  return listed.flatMap((argument) => {
    const name = isRecord(argument) ? argument['name'] : undefined;
    if (isRecord(argument) && typeof name === 'string') return [readEntry(argument, name, promptArgumentSchema.shape, warn)];
    warn('One of its `arguments` has no name; it was left out.');
    return [];
  });
}

/** The first entries within the limits of a list; the rest is left out with a warning. */
export function withinLimits<Entry>(
  entries: readonly Entry[],
  words: string,
): { readonly kept: readonly Entry[]; readonly warnings: readonly string[] } {
  let bytes = 0;
  const kept = entries.slice(0, LIMITS.featuresPerExtension).filter((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes <= LIST_BYTES;
  });
  const left = entries.length - kept.length;
  return {
    kept,
    warnings: left === 0 ? [] : [`The server has ${entries.length} ${words}; ${left} above the limit of an extension were left out.`],
  };
}
