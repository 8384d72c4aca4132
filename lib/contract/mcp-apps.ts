import * as z from 'zod';

/**
 * MCP Apps (extension `io.modelcontextprotocol/ui`): a tool names a page of its server in `_meta.ui`, and a client shows it in a
 * frame beside the result.
 */
export const APP_TYPE = 'text/html;profile=mcp-app';

/** The capability of a client that shows apps. */
export const MCP_APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_TYPE] } };

const uiSchema = z.object({
  resourceUri: z.string().max(4_096).startsWith('ui://').optional().catch(undefined),
  visibility: z
    .array(z.enum(['model', 'app']))
    .optional()
    .catch(undefined),
});

/** `_meta.ui`; the flat key is that of earlier drafts. */
const toolMetaSchema = z.object({
  ui: uiSchema.optional().catch(undefined),
  'ui/resourceUri': uiSchema.shape.resourceUri,
});

export interface ToolApp {
  /** Address of the page; null: the tool has none of its own. */
  readonly uri: string | null;
  readonly isForModel: boolean;
  readonly isForApp: boolean;
}

/** @param meta `_meta` of the tool */
export function appOf(meta: Readonly<Record<string, unknown>> | undefined): ToolApp {
  const { ui, 'ui/resourceUri': flat } = toolMetaSchema.safeParse(meta).data ?? {};
  return {
    uri: ui?.resourceUri ?? flat ?? null,
    isForModel: ui?.visibility?.includes('model') ?? true,
    isForApp: ui?.visibility?.includes('app') ?? true,
  };
}

const origins = z
  .array(z.string().regex(/^(?:https|wss):\/\/(?:\*\.)?[a-z\d.-]+(?::\d{1,5})?$/i))
  .max(50)
  .optional()
  .catch(undefined);
const resourceMetaSchema = z.object({
  ui: z
    .object({ csp: z.object({ connectDomains: origins, resourceDomains: origins }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * The content security policy of an app: an origin of its own, nothing of this server, and of others only what the app declares.
 * @param meta `_meta` of the contents of its resource
 */
export function appPolicy(meta: unknown): string {
  const { connectDomains = [], resourceDomains = [] } = resourceMetaSchema.safeParse(meta).data?.ui?.csp ?? {};
  const resources = resourceDomains.join(' ');
  const inline = `'unsafe-inline' ${resources}`.trim();
  const data = `data: blob: ${resources}`.trim();
  return [
    'sandbox allow-scripts allow-forms',
    "default-src 'none'",
    `script-src ${inline}`,
    `style-src ${inline}`,
    `img-src ${data}`,
    `font-src ${data}`,
    `media-src ${data}`,
    `connect-src ${connectDomains.join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}
