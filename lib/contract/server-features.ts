import * as z from 'zod';
import { contentAnnotationsSchema, contentSchema, iconSchema, lenientMeta, metaSchema, resourceContentsSchema } from './mcp-content.ts';

/**
 * Resources, resource templates and prompts of an MCP server, as JSON of the protocol. Members of later protocol versions are kept.
 */
const described = {
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  icons: z.array(iconSchema).optional(),
  _meta: metaSchema.optional(),
};
const content = { ...described, mimeType: z.string().optional(), annotations: contentAnnotationsSchema.optional() };

export const serverResourceSchema = z.looseObject({ uri: z.string(), ...content, size: z.number().optional() });
export type ServerResource = z.infer<typeof serverResourceSchema>;

export const resourceTemplateSchema = z.looseObject({ uriTemplate: z.string(), ...content });
export type ResourceTemplate = z.infer<typeof resourceTemplateSchema>;

export const promptArgumentSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
});
export const serverPromptSchema = z.looseObject({ ...described, arguments: z.array(promptArgumentSchema).optional() });
export type ServerPrompt = z.infer<typeof serverPromptSchema>;

export const serverFeaturesSchema = z.object({
  resources: z.array(serverResourceSchema),
  resource_templates: z.array(resourceTemplateSchema),
  /** Prompts by their local names. */
  prompts: z.array(serverPromptSchema),
  /** Whether it completes arguments of prompts and templates. */
  completions: z.boolean(),
  /** Whether it reports changed resources to subscribers. */
  subscriptions: z.boolean(),
});
export type ServerFeatures = z.infer<typeof serverFeaturesSchema>;

export const NO_FEATURES: ServerFeatures = {
  resources: [],
  resource_templates: [],
  prompts: [],
  completions: false,
  subscriptions: false,
};

/** For URIs, templates and names of prompts. */
const addressSchema = z.string().max(4_096);
const resourceParamsSchema = z.object({ uri: addressSchema, _meta: metaSchema.exactOptional() });

/** Requests that are forwarded to an MCP server, with their params. */
export const SERVER_REQUESTS = {
  /** With variables the address is a template. */
  'resources/read': resourceParamsSchema.extend({ variables: z.record(z.string(), z.string()).exactOptional() }),
  'resources/subscribe': resourceParamsSchema,
  'resources/unsubscribe': resourceParamsSchema,
  'prompts/get': z.object({
    name: addressSchema,
    arguments: z.record(z.string(), z.string()).exactOptional(),
    _meta: metaSchema.exactOptional(),
  }),
  'completion/complete': z.object({
    ref: z.discriminatedUnion('type', [
      z.object({ type: z.literal('ref/prompt'), name: addressSchema }),
      z.object({ type: z.literal('ref/resource'), uri: addressSchema }),
    ]),
    argument: z.object({ name: z.string(), value: z.string() }),
    context: z.object({ arguments: z.record(z.string(), z.string()).exactOptional() }).exactOptional(),
    _meta: metaSchema.exactOptional(),
  }),
  /** Capabilities of the client that answers requests of the server. */
  'notifications/roots/list_changed': z.object({}),
} as const;
export type ServerRequestMethod = keyof typeof SERVER_REQUESTS;
export type ServerRequestParams<Method extends ServerRequestMethod> = z.infer<(typeof SERVER_REQUESTS)[Method]>;

/** Notifications of a server, for its subscribed clients. */
export const serverNoticeSchema = z.discriminatedUnion('method', [
  z.object({ method: z.literal('notifications/resources/updated'), params: z.object({ uri: addressSchema }) }),
  z.object({ method: z.literal('notifications/elicitation/complete'), params: z.object({ elicitationId: z.string().min(1).max(1_000) }) }),
]);
export type ServerNotice = z.infer<typeof serverNoticeSchema>;

/** A JSON-RPC error of the server, or why it is unreachable (`away`). */
export const serverErrorSchema = z.object({
  code: z.number().int(),
  message: z.string(),
  data: z.unknown().optional(),
  away: z.boolean().optional(),
});
export type ServerError = z.infer<typeof serverErrorSchema>;

/** Responses of a server, without parts that clients reject. */
export const resourceReadSchema = z.looseObject({ contents: z.array(resourceContentsSchema), _meta: lenientMeta });

export const promptMessagesSchema = z.looseObject({
  description: z.string().optional().catch(undefined),
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant']),
      content: z.preprocess((value) => (typeof value === 'string' ? { type: 'text', text: value } : value), contentSchema),
    }),
  ),
  _meta: lenientMeta,
});

/** Empty results. */
export const emptyAnswerSchema = z.looseObject({});

const VALUES_MOST = 100;
export const completionSchema = z.looseObject({
  completion: z.looseObject({
    values: z.array(z.string()).transform((values) => values.slice(0, VALUES_MOST)),
    total: z.number().int().optional().catch(undefined),
    hasMore: z.boolean().optional().catch(undefined),
  }),
  _meta: lenientMeta,
});

/** The same as sent by the API: already tolerant, and valid. */
const contentsViewSchema = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  /** Base64. */
  blob: z.string().optional(),
});
export const resourceReadViewSchema = z.looseObject({ contents: z.array(contentsViewSchema) });

export const promptMessagesViewSchema = z.looseObject({
  description: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.looseObject({ type: z.string() }) })),
});

export const completionViewSchema = z.looseObject({
  completion: z.looseObject({ values: z.array(z.string()), total: z.number().int().optional(), hasMore: z.boolean().optional() }),
});

/** A log message of a server as it sent it; its clients filter by these levels. */
export const serverLogSchema = z.object({
  level: z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']),
  logger: z.string().optional(),
  data: z.unknown(),
});
export type ServerLog = z.infer<typeof serverLogSchema>;
