import * as z from 'zod';
import { agentOutputSchema, agentParameters } from './agent-schema.ts';
import type { CallError } from './call.ts';
import { contentSchema, lenientMeta } from './mcp-content.ts';
import { type JsonSchema, NO_LABEL, type Tool } from './tool.ts';

/**
 * Tools and results in the Model Context Protocol, sent by the endpoint and shown on pages. A failed tool is a result with its
 * message. Content of MCP servers, and of tools that return `{ content: […] }`, is passed through.
 */
export interface AgentForm {
  /** A tool of an MCP server, whose results are MCP content. */
  readonly isRemote: boolean;
  readonly hasOutputSchema: boolean;
  /** The stateless protocol; earlier versions accept only objects as structured content. */
  readonly isModern: boolean;
}

export interface AgentTool {
  readonly name: string;
  /** None by default: clients then show the name. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Tool['annotations'];
  readonly icons?: Tool['icons'];
  readonly execution?: { readonly taskSupport: 'optional' };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type AgentResult = Readonly<Record<string, unknown>>;

export function agentTool(tool: Tool, isModern: boolean): AgentTool {
  const { name, extension, label, description, parameters, output_schema: output, annotations, icons, meta } = tool;
  const isDefaultLabel = label === NO_LABEL && extension.startsWith('tools/');
  const outputSchema = output === null ? null : agentOutputSchema(output, isModern);
  return {
    name,
    ...(isDefaultLabel ? {} : { title: label }),
    description,
    inputSchema: agentParameters(parameters, isModern),
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(icons === undefined ? {} : { icons }),
    // Tasks exist only in the protocol with a handshake.
    ...(tool.is_task === true && !isModern ? { execution: { taskSupport: 'optional' as const } } : {}),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** The parts for the model; clients use the rest. */
export function readByModel({
  icons: _icons,
  execution: _execution,
  _meta,
  ...tool
}: AgentTool): Omit<AgentTool, 'icons' | 'execution' | '_meta'> {
  return tool;
}

/** The answer to `tools/call` without protocol metadata. */
export function agentResult(
  { result, error }: { readonly result?: unknown; readonly error: CallError | null },
  form: AgentForm,
): AgentResult {
  return error === null ? resultOf(result, form) : failureOf(error, form);
}

const mcpContentSchema = z.strictObject({
  content: z.array(contentSchema).min(1),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  _meta: lenientMeta,
});

/** A result as MCP content. */
interface McpContent {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

const ISSUES_SAID = 20;
const DATA_SAID = 4_096;

function resultOf(result: unknown, form: AgentForm): AgentResult {
  const mcpContent = readMcpContent(result, form);
  if (mcpContent !== null) return withAllowedStructure(mcpContent, form);
  const isStructured = isObject(result) || (form.isModern && form.hasOutputSchema);
  return isStructured ? { content: [asText(result)], structuredContent: result } : { content: [asText(result)] };
}

function readMcpContent(result: unknown, form: AgentForm): McpContent | null {
  if (!isObject(result)) return null;
  if (form.isRemote) return readServerContent(result);
  if (!('content' in result) || form.hasOutputSchema) return null;
  const read = mcpContentSchema.safeParse(result);
  return read.success ? read.data : null;
}

/** Content of a server; invalid blocks become text. */
function readServerContent({ content, structuredContent, isError, _meta, ...more }: Readonly<Record<string, unknown>>): McpContent {
  const said = content === undefined || content === null ? [] : Array.isArray(content) ? content.map(readBlock) : [readBlock(content)];
  const isStructured = structuredContent !== undefined && structuredContent !== null;
  const rest = isStructured ? structuredContent : Object.keys(more).length > 0 ? more : null;
  return {
    content: said.length === 0 && rest !== null ? [asText(rest)] : said,
    ...(isStructured ? { structuredContent } : {}),
    ...(typeof isError === 'boolean' ? { isError } : {}),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

function readBlock(block: unknown): unknown {
  const read = contentSchema.safeParse(block);
  return read.success ? read.data : asText(block);
}

function asText(value: unknown): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** The 2025 protocols accept only objects as structured content, and validate it for failed calls too. */
function withAllowedStructure({ content, structuredContent, isError, _meta }: McpContent, form: AgentForm): AgentResult {
  const isChecked = isError === true && form.hasOutputSchema;
  const isIncluded = structuredContent !== undefined && (form.isModern || (isObject(structuredContent) && !isChecked));
  return {
    content,
    ...(isIncluded ? { structuredContent } : {}),
    ...(isError === undefined ? {} : { isError }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function failureOf(error: CallError, form: AgentForm): AgentResult {
  const { data } = error;
  const mcpContent = isObject(data) && ('content' in data || 'structuredContent' in data) ? readMcpContent(data, form) : null;
  if (mcpContent === null || mcpContent.content.length === 0) return { content: [asText(wordsOf(error))], isError: true };
  if (error.kind !== 'schema_error') return withAllowedStructure({ ...mcpContent, isError: true }, form);
  // Invalid structured content is omitted; the text remains.
  return { content: [asText(wordsOf({ ...error, data: undefined })), ...mcpContent.content], isError: true };
}

function wordsOf({ message, issues = [], data }: CallError): string {
  if (issues.length > 0) {
    const lines = issues.slice(0, ISSUES_SAID).map((issue) => `- ${issue.path === '' ? 'all arguments' : issue.path}: ${issue.message}`);
    const more = issues.length > ISSUES_SAID ? [`- and ${issues.length - ISSUES_SAID} more`] : [];
    return [message.replace(/:.*$/s, ':'), ...lines, ...more].join('\n');
  }
  const facts = data === undefined ? '' : JSON.stringify(data);
  return facts === '' || facts.length > DATA_SAID ? message : `${message}\n${facts}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
