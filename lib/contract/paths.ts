/** Every address in one place: the API's for the client and the tests, the pages' for links. Ids with a slash are encoded. */
const api = '/api/v1';
const one = encodeURIComponent;

export const API = {
  root: api,
  extensions: `${api}/extensions`,
  reload: `${api}/extensions/reload`,
  extension: (id: string) => `${api}/extensions/${one(id)}`,
  extensionLogs: (id: string) => `${api}/extensions/${one(id)}/logs`,
  extensionResources: (id: string) => `${api}/extensions/${one(id)}/resources`,
  extensionSettings: (id: string) => `${api}/extensions/${one(id)}/settings`,
  compareRevisions: (id: string) => `${api}/extensions/${one(id)}/compare`,
  undoExtension: (id: string) => `${api}/extensions/${one(id)}/undo`,
  extensionAction: (id: string, action: string) => `${api}/extensions/${one(id)}/${action}`,
  tools: `${api}/tools`,
  tool: (name: string) => `${api}/tools/${one(name)}`,
  callTool: (name: string) => `${api}/tools/${one(name)}/call`,
  probeTool: (name: string) => `${api}/tools/${one(name)}/probe`,
  calls: `${api}/calls`,
  callStats: `${api}/calls/stats`,
  lastHour: `${api}/calls/last-hour`,
  exportCalls: `${api}/calls/export`,
  call: (id: string) => `${api}/calls/${one(id)}`,
  cancelCall: (id: string) => `${api}/calls/${one(id)}/cancel`,
  replayCall: (id: string) => `${api}/calls/${one(id)}/replay`,
  savedCalls: `${api}/saved-calls`,
  savedCall: (id: string) => `${api}/saved-calls/${one(id)}`,
  runSavedCall: (id: string) => `${api}/saved-calls/${one(id)}/run`,
  channels: `${api}/channels`,
  channel: (name: string) => `${api}/channels/${one(name)}`,
  channelMessages: (name: string) => `${api}/channels/${one(name)}/messages`,
  sendMessage: (name: string) => `${api}/channels/${one(name)}/send`,
  injectMessage: (name: string) => `${api}/channels/${one(name)}/inject`,
  retryChannel: (name: string) => `${api}/channels/${one(name)}/retry`,
  resendMessage: (id: string) => `${api}/messages/${one(id)}/resend`,
  failures: `${api}/failures`,
  failure: (id: string) => `${api}/failures/${one(id)}`,
  commentFailure: (id: string) => `${api}/failures/${one(id)}/comments`,
  failureOccurrences: (id: string) => `${api}/failures/${one(id)}/occurrences`,
  failureChanges: (id: string) => `${api}/failures/${one(id)}/changes`,
  failureSource: (id: string) => `${api}/failures/${one(id)}/source`,
  mergeFailure: (id: string) => `${api}/failures/${one(id)}/merge`,
  splitFailure: (id: string) => `${api}/failures/${one(id)}/split`,
  sources: `${api}/sources`,
  source: (path: string) => `${api}/sources/${one(path)}`,
  snapshots: `${api}/snapshots`,
  snapshot: (version: number) => `${api}/snapshots/${version}`,
  events: `${api}/events`,
  openApi: `${api}/openapi.json`,
} as const;

/** Where agents connect. */
export const MCP_PATH = '/mcp';

export const PAGES = {
  overview: '/',
  extensions: '/extensions',
  extension: (id: string) => `/extensions/${one(id)}`,
  tools: '/tools',
  tool: (name: string) => `/tools/${one(name)}`,
  /** Its arguments in the form. */
  savedCall: (tool: string, id: string) => `/tools/${one(tool)}?saved=${one(id)}`,
  calls: '/calls',
  call: (id: string) => `/calls/${one(id)}`,
  /** Without `b` the page offers calls to choose from. */
  compareCalls: (a: string, b?: string) => `/calls/compare?a=${one(a)}${b === undefined ? '' : `&b=${one(b)}`}`,
  channels: '/channels',
  channel: (name: string) => `/channels/${one(name)}`,
  failures: '/failures',
  failure: (id: string) => `/failures/${one(id)}`,
  timeline: '/timeline',
  version: (version: number) => `/timeline?version=${version}`,
} as const;
