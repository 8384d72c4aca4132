import type { Operation } from './operation.ts';
import { ACCOUNT_OPERATIONS } from './operations-of-accounts.ts';
import { CHANNEL_OPERATIONS } from './operations-of-channels.ts';
import { FAILURE_OPERATIONS } from './operations-of-failures.ts';
import { SOURCE_OPERATIONS } from './operations-of-sources.ts';
import { SAVED_CALL_OPERATIONS } from './operations-of-saved-calls.ts';
import { TOKEN_OPERATIONS } from './operations-of-tokens.ts';

const TOOL = 'The name of the tool.';
const EXTENSION = 'The id of the extension, such as `weather` or `tools/get_weather`.';
const CALL = 'The id of the call.';
const ACTION_PROBLEMS = ['extension_not_found', 'state_conflict'] as const;

/** By `METHOD path` of lib/http/routes.ts; a test asks for an entry for every route of the API. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...ACCOUNT_OPERATIONS,
  ...CHANNEL_OPERATIONS,
  ...FAILURE_OPERATIONS,
  ...SOURCE_OPERATIONS,
  ...SAVED_CALL_OPERATIONS,
  ...TOKEN_OPERATIONS,
  'POST /api/v1/tools/:name/call': {
    id: 'callTool',
    summary: 'Call a tool. The answer is the finished call, however it ended; with `Prefer: respond-async` the running one, at once.',
    tag: 'calls',
    parameter: TOOL,
    body: 'CallRequest',
    answer: 'Call',
    problems: ['tool_not_found', 'revision_not_found', 'too_many_calls'],
  },
  'GET /api/v1/events': {
    id: 'streamEvents',
    summary: 'Follow what happens, as server-sent events. `Last-Event-ID` resumes.',
    tag: 'server',
    query: 'events',
    answer: { mediaTypes: ['text/event-stream'], description: 'Events with ids and versions; see docs/api.md.' },
    problems: ['too_many_own_streams', 'too_many_streams'],
  },
  'GET /healthz': { id: 'getHealth', summary: 'Whether the server answers, and how it is.', tag: 'server', answer: 'Health' },
  'GET /readyz': { id: 'getReadiness', summary: 'Whether tools can be called: 200 or 503.', tag: 'server', answer: 'Health' },
  'GET /metrics': {
    id: 'getMetrics',
    summary: 'What the server measures, for Prometheus.',
    tag: 'server',
    answer: { mediaTypes: ['text/plain'], description: 'The text format of Prometheus.' },
  },
  'GET /api/v1/openapi.json': {
    id: 'getOpenApi',
    summary: 'This document, with each tool that can be called now as an operation.',
    tag: 'server',
    answer: { mediaTypes: ['application/json'], description: 'An OpenAPI 3.1 document.' },
  },
  'GET /api/v1/extensions': { id: 'listExtensions', summary: 'All extensions.', tag: 'extensions', answer: 'ExtensionList' },
  'POST /api/v1/extensions': {
    id: 'newExtension',
    summary: 'Write the beginning of an extension, to be changed into yours.',
    tag: 'extensions',
    body: 'NewExtension',
    answer: 'NewExtensionMade',
    problems: ['state_conflict', 'source_read_only'],
  },
  'POST /api/v1/extensions/reload': {
    id: 'reloadExtensions',
    summary: 'Look at the folder now, and try failed extensions again.',
    tag: 'extensions',
    body: 'ReloadRequest',
    answer: 'ReloadReport',
    problems: ['extension_not_found', 'extensions_unreadable'],
  },
  'POST /api/v1/watch/self-test': {
    id: 'testWatching',
    summary: 'Test once more whether saved files are noticed, with a probe file.',
    tag: 'extensions',
    answer: 'WatchState',
  },
  'GET /api/v1/extensions/:id': {
    id: 'getExtension',
    summary: 'An extension with its revisions, its live status and its newest logs.',
    tag: 'extensions',
    parameter: EXTENSION,
    answer: 'ExtensionDetail',
    problems: ['extension_not_found'],
  },
  'GET /api/v1/extensions/:id/logs': {
    id: 'readExtensionLog',
    summary: 'What an extension printed and logged, from where the answer before ended.',
    tag: 'extensions',
    parameter: EXTENSION,
    query: 'extensionLogs',
    answer: 'ExtensionLogPage',
    problems: ['extension_not_found'],
  },
  'GET /api/v1/extensions/:id/resources': {
    id: 'readExtensionResources',
    summary: 'Memory and processor time of the processes of an extension over the last minutes.',
    tag: 'extensions',
    parameter: EXTENSION,
    answer: 'ExtensionResources',
    problems: ['extension_not_found'],
  },
  'GET /api/v1/extensions/:id/settings': {
    id: 'readExtensionSettings',
    summary: 'What applies to an extension, where it is set and how it is changed.',
    tag: 'extensions',
    parameter: EXTENSION,
    answer: 'ExtensionSettings',
    problems: ['extension_not_found'],
  },
  'GET /api/v1/extensions/:id/compare': {
    id: 'compareRevisions',
    summary: 'Two revisions side by side: sources, what callers see, and recent and saved calls that the second would refuse.',
    tag: 'extensions',
    parameter: EXTENSION,
    query: 'revisions',
    answer: 'RevisionComparison',
    problems: ['extension_not_found', 'revision_not_found'],
  },
  'POST /api/v1/extensions/:id/restart': action('restart', 'End its process, forget its crashes and start it again.'),
  'POST /api/v1/extensions/:id/disable': action('disable', 'Withdraw its tools, also over a restart.'),
  'POST /api/v1/extensions/:id/enable': action('enable', 'Load it again.'),
  'POST /api/v1/extensions/:id/rollback': revisionAction('rollback', 'Serve an earlier revision until the next save.'),
  'POST /api/v1/extensions/:id/pin': revisionAction('pin', 'Serve one revision whatever is saved.'),
  'POST /api/v1/extensions/:id/unpin': action('unpin', 'Serve the newest again.'),
  'POST /api/v1/tools/:name/probe': {
    id: 'probeTool',
    summary: 'Call it with made-up arguments, and answer what no tool should do; made as small as it gets.',
    tag: 'tools',
    parameter: TOOL,
    body: 'ProbeRequest',
    answer: 'ProbeReport',
    problems: ['tool_not_found', 'state_conflict', 'too_many_calls'],
  },
  'GET /api/v1/tools': { id: 'listTools', summary: 'All tools with their schemas.', tag: 'tools', answer: 'ToolList' },
  'GET /api/v1/tools/:name': {
    id: 'getTool',
    summary: 'One tool.',
    tag: 'tools',
    parameter: TOOL,
    answer: 'Tool',
    problems: ['tool_not_found'],
  },
  'GET /api/v1/calls': {
    id: 'listCalls',
    summary: 'The history of calls, newest first.',
    tag: 'calls',
    query: 'calls',
    answer: 'CallPage',
  },
  'GET /api/v1/calls/stats': {
    id: 'countCalls',
    summary: 'How many calls, how many failed and how long they took, over time.',
    tag: 'calls',
    query: 'callStats',
    answer: 'CallStats',
  },
  'GET /api/v1/calls/last-hour': {
    id: 'countLastHour',
    summary:
      'The calls of the last hour against the hour before, with the tools that fail most, those that are slowest, and each extension.',
    tag: 'calls',
    answer: 'LastHour',
  },
  'GET /api/v1/calls/export': {
    id: 'exportCalls',
    summary: 'All calls of a filter, whole and newest first, as a stream.',
    tag: 'calls',
    query: 'callExport',
    answer: { mediaTypes: ['application/x-ndjson', 'text/csv'], description: 'One call a line; with `format=csv` a table as `text/csv`.' },
  },
  'GET /api/v1/calls/:id': {
    id: 'getCall',
    summary: 'One call; while it runs with its logs and progress so far.',
    tag: 'calls',
    parameter: CALL,
    answer: 'Call',
    problems: ['call_not_found'],
  },
  'POST /api/v1/calls/:id/cancel': {
    id: 'cancelCall',
    summary: 'End a call; one that has ended is answered as it is.',
    tag: 'calls',
    parameter: CALL,
    answer: 'Call',
    problems: ['call_not_found'],
  },
  'POST /api/v1/calls/:id/replay': {
    id: 'replayCall',
    summary: 'Call again, with the same arguments or with those in the body; with `Prefer: respond-async` the running call, at once.',
    tag: 'calls',
    parameter: CALL,
    body: 'ReplayRequest',
    answer: 'Call',
    problems: ['call_not_found', 'tool_not_found', 'redacted_arguments', 'too_many_calls'],
  },
  'GET /api/v1/snapshots': {
    id: 'listSnapshots',
    summary: 'What changed in each version of the set of extensions, newest first.',
    tag: 'snapshots',
    query: 'snapshots',
    answer: 'SnapshotPage',
  },
  'GET /api/v1/snapshots/:version': {
    id: 'getSnapshot',
    summary: 'One version.',
    tag: 'snapshots',
    parameter: 'The version, a whole number.',
    answer: 'Snapshot',
    problems: ['snapshot_not_found'],
  },
};

function action(name: string, summary: string): Operation {
  return { id: `${name}Extension`, summary, tag: 'extensions', parameter: EXTENSION, answer: 'Extension', problems: ACTION_PROBLEMS };
}

function revisionAction(name: string, summary: string): Operation {
  return { ...action(name, summary), body: 'RevisionRequest', problems: [...ACTION_PROBLEMS, 'revision_not_found'] };
}
