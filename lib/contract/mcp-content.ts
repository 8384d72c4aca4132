import * as z from 'zod';

/**
 * Content of the Model Context Protocol, as servers send it. Omits null and invalid optional members, because clients reject
 * results with them.
 */
export const metaSchema = z.record(z.string(), z.unknown());
export const lenientMeta = metaSchema.optional().catch(undefined);
const word = z.string().optional().catch(undefined);
const audienceSchema = z.array(z.enum(['user', 'assistant']));
const prioritySchema = z.number().min(0).max(1);
const lastModifiedSchema = z.iso.datetime({ offset: true });
const annotations = z
  .looseObject({
    audience: audienceSchema.optional().catch(undefined),
    priority: prioritySchema.optional().catch(undefined),
    lastModified: lastModifiedSchema.optional().catch(undefined),
  })
  .optional()
  .catch(undefined);
const base64 = z.string().refine(isBase64);

/** Without tolerance, for lists: their entries are parsed field by field. */
export const contentAnnotationsSchema = z.looseObject({
  audience: audienceSchema.optional(),
  priority: prioritySchema.optional(),
  lastModified: lastModifiedSchema.optional(),
});
export const iconSchema = z.looseObject({
  src: z.string(),
  mimeType: z.string().optional(),
  sizes: z.array(z.string()).optional(),
  theme: z.enum(['light', 'dark']).optional(),
});

export type Icon = z.infer<typeof iconSchema>;

export const resourceContentsSchema = z.preprocess(
  withoutNulls,
  z.union([
    z.looseObject({ uri: z.string(), text: z.string(), mimeType: word, _meta: lenientMeta }),
    z.looseObject({ uri: z.string(), blob: base64, mimeType: word, _meta: lenientMeta }),
  ]),
);

export const contentSchema = z.preprocess(
  withoutNulls,
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string(), annotations, _meta: lenientMeta }),
    z.looseObject({ type: z.literal('image'), data: base64, mimeType: z.string(), annotations, _meta: lenientMeta }),
    z.looseObject({ type: z.literal('audio'), data: base64, mimeType: z.string(), annotations, _meta: lenientMeta }),
    z.looseObject({
      type: z.literal('resource_link'),
      uri: z.string(),
      name: z.string(),
      title: word,
      description: word,
      mimeType: word,
      size: z.number().optional().catch(undefined),
      icons: z.array(iconSchema).optional().catch(undefined),
      annotations,
      _meta: lenientMeta,
    }),
    z.looseObject({ type: z.literal('resource'), resource: resourceContentsSchema, annotations, _meta: lenientMeta }),
  ]),
);

function withoutNulls(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null))
    : value;
}

/** Same rules as the official clients. */
function isBase64(text: string): boolean {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}
