import { z } from 'zod';
import type { CallError } from './call.ts';
import { NO_LABEL } from './tool.ts';
import type { JsonSchema, Tool } from './tool.ts';

/**
 * What an agent is given over the Model Context Protocol: a tool as it is listed, the end of a call as it is answered. The
 * endpoint sends it, the pages show it. A tool that failed is a result too, with the words an agent needs to do better. A
 * tool that already answers in the form of the protocol (each one of an MCP server, and any other that gives
 * `{ content: […] }`) keeps what it said.
 */
export interface AgentForm {
  /** A tool of an MCP server: its results are in the form of the protocol already. */
  readonly isRemote: boolean;
  readonly hasOutputSchema: boolean;
  /** The stateless generation of the protocol; the one before takes objects alone as structured content. */
  readonly isModern: boolean;
}

export interface AgentTool {
  readonly name: string;
  /** None where nobody wrote one: clients then show the name, which tells tools apart. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Tool['annotations'];
}

export type AgentResult = Readonly<Record<string, unknown>>;

/** The 2025 protocols know results that are objects only, so another output schema would be refused by their clients. */
export function agentTool(tool: Tool, isModern: boolean): AgentTool {
  const { name, extension, label, description, parameters, output_schema: output, annotations } = tool;
  const isMadeUp = label === NO_LABEL && extension.startsWith('tools/');
  const showsOutput = output !== null && (isModern || output['type'] === 'object');
  return {
    name,
    ...(isMadeUp ? {} : { title: label }),
    description,
    inputSchema: parameters,
    ...(showsOutput ? { outputSchema: output } : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** The answer to `tools/call` without what the protocol adds for programs. */
export function agentResult(
  { result, error }: { readonly result?: unknown; readonly error: CallError | null },
  form: AgentForm,
): AgentResult {
  return error === null ? resultOf(result, form) : failureOf(error, form);
}

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

const ISSUES_SAID = 20;
const DATA_SAID = 4_096;

function resultOf(result: unknown, form: AgentForm): AgentResult {
  const spoken = spokenBy(result, form);
  if (spoken !== null) return fitted(spoken, form);
  const content = [{ type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) }];
  const isStructured = isObject(result) || (form.isModern && form.hasOutputSchema);
  return isStructured ? { content, structuredContent: result } : { content };
}

function spokenBy(result: unknown, form: AgentForm): Spoken | null {
  if (!isObject(result) || !('content' in result) || (!form.isRemote && form.hasOutputSchema)) return null;
  const read = (form.isRemote ? remoteSchema : spokenSchema).safeParse(result);
  return read.success ? read.data : null;
}

/** The 2025 protocols take objects as structured content only. */
function fitted({ content, structuredContent, isError, _meta }: Spoken, form: AgentForm): AgentResult {
  const isTaken = structuredContent !== undefined && (form.isModern || isObject(structuredContent));
  return {
    content,
    ...(isTaken ? { structuredContent } : {}),
    ...(isError === undefined ? {} : { isError }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function failureOf(error: CallError, form: AgentForm): AgentResult {
  const spoken = spokenBy(error.data, form);
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
