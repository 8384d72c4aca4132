import { z } from 'zod';
import { callErrorSchema } from '#lib/contract/call.ts';
import type { CallError } from '#lib/contract/call.ts';
import { META, MODERN_VERSION } from './protocol.ts';
import type { CatalogueTool, ServerInfo } from './tool-catalogue.ts';

/**
 * The end of a call as the protocol says it. A tool that failed is a result too, with the words an agent needs to do
 * better. A tool that already answers in the form of the protocol (each one of an MCP server, and any other that gives
 * `{ content: […] }`) keeps what it said.
 */
export interface ResultForm {
  readonly tool: CatalogueTool;
  readonly generation: '2025' | typeof MODERN_VERSION;
  readonly server: ServerInfo;
}

const endSchema = z.object({ id: z.string(), result: z.unknown().optional(), error: callErrorSchema.nullable() });

const meta = z.record(z.string(), z.unknown()).optional();
const annotations = z.looseObject({}).optional();
const contentSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string(), annotations, _meta: meta }),
  z.looseObject({ type: z.literal('image'), data: z.base64(), mimeType: z.string(), annotations, _meta: meta }),
  z.looseObject({ type: z.literal('audio'), data: z.base64(), mimeType: z.string(), annotations, _meta: meta }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string(), annotations, _meta: meta }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.union([
      z.looseObject({ uri: z.string(), text: z.string(), mimeType: z.string().optional() }),
      z.looseObject({ uri: z.string(), blob: z.base64(), mimeType: z.string().optional() }),
    ]),
    annotations,
    _meta: meta,
  }),
]);
const spokenSchema = z.strictObject({
  content: z.array(contentSchema).min(1),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  _meta: meta,
});
/** What a server said has been read by a client of the protocol already; a kind of content that is not known here is kept. */
const remoteSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  _meta: meta,
});

type Spoken = z.infer<typeof remoteSchema>;
type Result = Record<string, unknown>;

const ISSUES_SAID = 20;
const DATA_SAID = 4_096;

/** `callText` is the record of the finished call, as JSON. Returns the `result` of `tools/call`, as JSON. */
export function callResultText(callText: string, form: ResultForm): string {
  const { id, result, error } = endSchema.parse(JSON.parse(callText));
  const said = error === null ? resultOf(result, form) : failureOf(error, form);
  const ours = { [META.callId]: id, ...(form.generation === MODERN_VERSION ? { [META.serverInfo]: form.server } : {}) };
  const given = said['_meta'];
  const whole: Result = { ...said, _meta: typeof given === 'object' ? { ...given, ...ours } : ours };
  if (form.generation === MODERN_VERSION) whole['resultType'] = 'complete';
  return JSON.stringify(whole);
}

function resultOf(result: unknown, form: ResultForm): Result {
  const spoken = spokenBy(result, form.tool);
  if (spoken !== null) return fitted(spoken, form);
  const content = [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) }];
  const isStructured = isObject(result) || (form.generation === MODERN_VERSION && form.tool.hasOutputSchema);
  return isStructured ? { content, structuredContent: result } : { content };
}

function spokenBy(result: unknown, tool: CatalogueTool): Spoken | null {
  if (!isObject(result) || !('content' in result) || (!tool.isRemote && tool.hasOutputSchema)) return null;
  const read = (tool.isRemote ? remoteSchema : spokenSchema).safeParse(result);
  return read.success ? read.data : null;
}

/** The 2025 protocols take objects as structured content only. */
function fitted({ content, structuredContent, isError, _meta }: Spoken, form: ResultForm): Result {
  const isTaken = structuredContent !== undefined && (form.generation === MODERN_VERSION || isObject(structuredContent));
  return {
    content,
    ...(isTaken ? { structuredContent } : {}),
    ...(isError === undefined ? {} : { isError }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function failureOf(error: CallError, form: ResultForm): Result {
  const spoken = spokenBy(error.data, form.tool);
  if (spoken !== null) return fitted({ ...spoken, isError: true }, form);
  return { content: [{ type: 'text', text: wordsOf(error) }], isError: true };
}

function wordsOf({ message, issues = [], data }: CallError): string {
  if (issues.length > 0) {
    const lines = issues.slice(0, ISSUES_SAID).map((issue) => `- ${issue.path === '' ? 'as a whole' : issue.path}: ${issue.message}`);
    const more = issues.length > ISSUES_SAID ? [`- and ${issues.length - ISSUES_SAID} more`] : [];
    return [message.replace(/:.*$/s, ':'), ...lines, ...more].join('\n');
  }
  const facts = data === undefined ? '' : JSON.stringify(data);
  return facts === '' || facts.length > DATA_SAID ? message : `${message}\n${facts}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
