import * as z from 'zod';
import type { Extension } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Host } from '#lib/host/host.ts';
import { invalidParams, type Outcome, type Params, type RequestContext, RPC, type RpcFailure } from './protocol.ts';
import { readProxiedResource } from './proxied-features.ts';

/**
 * Resources: the state of each extension, so that an agent sees its `status()` or why its tool is unavailable, and the messages
 * of channels. Read on request.
 */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'switchboard://extensions/{id}/status',
    name: 'extension-status',
    title: 'Status of an extension',
    description: 'State, revision, failure with its hint, and the output of its `status()`, as JSON. A slash in the id is encoded.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'switchboard://channels/{name}/messages',
    name: 'channel-messages',
    title: 'Messages of a channel',
    description: 'The newest messages of a channel, in and out, newest first, as JSON.',
    mimeType: 'application/json',
  },
];

const uriSchema = z.looseObject({ uri: z.string().max(4_096) });
const OWN = /^switchboard:/i;
const ADDRESS = /^switchboard:\/\/(?:(extensions)\/([^/?#]+)\/status|(channels)\/([^/?#]+)\/messages)$/;

export function statusUri(extension: string): string {
  return `switchboard://extensions/${encodeURIComponent(extension)}/status`;
}

export function messagesUri(channel: string): string {
  return `switchboard://channels/${encodeURIComponent(channel)}/messages`;
}

export async function listResources(host: Host): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const statuses = host.extensions.list().extensions.map(({ id, name, description }) => ({
    uri: statusUri(id),
    name: `${id}-status`.replaceAll('/', '-'),
    title: `Status of ${name || id}`,
    description: description || `State, revision and failure of ${id}.`,
    mimeType: 'application/json',
  }));
  const inboxes = (await host.channels.list()).channels.map(({ name, description }) => ({
    uri: messagesUri(name),
    name: `${name}-messages`,
    title: `Messages of ${name}`,
    description: description || `The newest messages of ${name}.`,
    mimeType: 'application/json',
  }));
  return [...statuses, ...inboxes];
}

/** URI of a resource in params, also for subscriptions. */
export function readUri(
  params: Params,
): { readonly ok: true; readonly uri: string } | { readonly ok: false; readonly failure: RpcFailure } {
  const read = uriSchema.safeParse(params);
  return read.success
    ? { ok: true, uri: read.data.uri }
    : { ok: false, failure: invalidParams(read.error, 'The uri of a resource is expected; resources/list has them.') };
}

/** No MCP server may list such an address. */
export function isOwnUri(uri: string): boolean {
  return OWN.test(uri);
}

export async function readResource(params: Params, requestContext: RequestContext): Promise<Outcome> {
  const asked = readUri(params);
  if (!asked.ok) return asked;
  const { uri } = asked;
  if (isOwnUri(uri)) {
    const value = await valueAt(requestContext.context.host, uri);
    if (value !== null)
      return { ok: true, result: { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value, null, 2) }] } };
  } else {
    const passed = await readProxiedResource(uri, requestContext);
    if (passed !== null) return passed;
  }
  return { ok: false, failure: unknownResource(uri, requestContext.isModern) };
}

export function unknownResource(uri: string, isModern: boolean): RpcFailure {
  const message = `There is no resource ${uri.slice(0, 200)}. resources/list lists the existing ones.`;
  return { code: isModern ? RPC.invalidParams : RPC.resourceNotFound, message, data: { uri } };
}

async function valueAt(host: Host, uri: string): Promise<unknown> {
  const [, extensions, extension = '', channels, channel = ''] = ADDRESS.exec(uri) ?? [];
  const id = decoded(extensions === undefined ? channel : extension);
  if (id === null) return null;
  if (channels !== undefined) {
    const page = await host.channels.messages(id, { limit: LIMITS.listDefault });
    return page.ok ? { channel: id, messages: page.value.messages } : null;
  }
  if (extensions === undefined) return null;
  const found = await host.extensions.get(id);
  if (!found.ok) return null;
  const { status, status_error } = found.value;
  return { ...summaryOf(found.value), status, status_error };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function summaryOf({ id, kind, runtime, state, revision, serving_revision, description, tools, failure, warnings, process }: Extension) {
  return {
    id,
    kind,
    runtime,
    state,
    revision,
    serving_revision,
    description,
    tools,
    warnings,
    process: process.state,
    failure:
      failure === null
        ? null
        : {
            code: failure.code,
            message: failure.message,
            hint: failure.hint,
            file: failure.file,
            line: failure.line,
            code_frame: failure.code_frame,
          },
  };
}
