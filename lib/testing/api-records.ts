import type { Call } from '#lib/contract/call.ts';
import type { Message } from '#lib/contract/channel.ts';
import type { Extension, ExtensionState } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { Instance } from '#lib/contract/instance.ts';
import { type SaveCall, type SaveCallBody, saveCallSchema, type SavedCall } from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';

/** API records for tests: a new field of a record is added here once. */

export function callRecord(change: Partial<Call> = {}): Call {
  return {
    id: 'c1',
    tool: 'get_weather',
    extension: 'weather',
    revision: 1,
    snapshot_version: 1,
    source: 'web',
    actor: null,
    arguments: {},
    redacted: [],
    status: 'succeeded',
    result: null,
    error: null,
    logs: [],
    logs_truncated: false,
    progress: null,
    started_at: '2026-11-22T10:00:00.000Z',
    finished_at: '2026-11-22T10:00:01.000Z',
    duration_ms: 1_000,
    replay_of: null,
    instance: 'one',
    ...change,
  };
}

export function runningCallRecord(change: Partial<Call> = {}): Call {
  return callRecord({ status: 'running', finished_at: null, duration_ms: null, ...change });
}

export function savedCallRecord(change: Partial<SavedCall> = {}): SavedCall {
  return {
    id: 's1',
    tool: 'get_weather',
    name: 'Oslo',
    arguments: {},
    left_out: [],
    timeout_ms: null,
    expectation: null,
    required: false,
    last_run: null,
    created_by: null,
    created_at: '2026-11-22T10:00:00.000Z',
    updated_at: '2026-11-22T10:00:00.000Z',
    ...change,
  };
}

/** The body of a request, parsed. */
export function saveCallRequest(body: SaveCallBody): SaveCall {
  return saveCallSchema.parse(body);
}

export function failureRecord(change: Partial<Failure> = {}): Failure {
  return {
    id: 'f',
    extension: 'weather',
    revision: 1,
    error: 'SyntaxError',
    stage: 'build',
    code: 'syntax_error',
    message: 'SyntaxError',
    hint: 'Fix it.',
    file: null,
    line: null,
    column: null,
    code_frame: null,
    stack: null,
    output: null,
    fingerprint: 'x',
    group_id: 'g',
    snapshot_version: 1,
    first_seen: '2026-11-21T11:00:00Z',
    last_seen: '2026-11-21T11:58:00Z',
    count: 1,
    ...change,
  };
}

/** An extension in TypeScript with tools; its first revision serves. */
export function extensionRecord(id: string, state: ExtensionState = 'ready', change: Partial<Extension> = {}): Extension {
  return {
    id,
    kind: 'tools',
    runtime: 'node',
    state,
    revision: 1,
    serving_revision: 1,
    pinned_revision: null,
    content_hash: null,
    path: `${id}/extension.ts`,
    name: id,
    description: '',
    instructions: '',
    tools: [],
    channels: [],
    failure: null,
    warnings: [],
    loaded_at: null,
    permissions: [],
    process: { state: 'none', pid: null, restarts: 0, retry_at: null, kept: null },
    ...change,
  };
}

/** An inbound message. */
export function messageRecord(id: string, text: string, change: Partial<Message> = {}): Message {
  return {
    id,
    channel: 'clock',
    direction: 'in',
    text,
    sender: 'ada',
    recipient: null,
    metadata: {},
    state: 'received',
    error: null,
    attempts: 0,
    call_id: null,
    reply_to: null,
    injected: false,
    created_at: '2026-11-22T10:00:00.000Z',
    ...change,
  };
}

export function instanceRecord(id: string, change: Partial<Instance> = {}): Instance {
  return {
    id,
    started_at: '2026-11-26T01:00:00.000Z',
    last_seen: '2026-11-26T02:00:00.000Z',
    version: '1.2.3',
    state: 'ready',
    extensions: { ready: 4, failed: 1 },
    calls_running: 2,
    local_files: [],
    is_self: false,
    ...change,
  };
}

/** A tool without parameters, available. */
export function toolRecord(name: string, change: Partial<Tool> = {}): Tool {
  return {
    name,
    label: 'Test',
    extension: name,
    revision: 1,
    description: '',
    parameters: { type: 'object' },
    output_schema: null,
    annotations: {},
    timeout_ms: null,
    examples: [],
    available: true,
    unavailable_reason: null,
    warnings: [],
    ...change,
  };
}
