/** Every address in one place: the API's for the client and the tests, the pages' for links. Ids with a slash are encoded. */
const api = '/api/v1';
const one = encodeURIComponent;

export const API = {
  root: api,
  extensions: `${api}/extensions`,
  reload: `${api}/extensions/reload`,
  extension: (id: string) => `${api}/extensions/${one(id)}`,
  extensionAction: (id: string, action: string) => `${api}/extensions/${one(id)}/${action}`,
  tools: `${api}/tools`,
  tool: (name: string) => `${api}/tools/${one(name)}`,
  callTool: (name: string) => `${api}/tools/${one(name)}/call`,
  calls: `${api}/calls`,
  call: (id: string) => `${api}/calls/${one(id)}`,
  cancelCall: (id: string) => `${api}/calls/${one(id)}/cancel`,
  replayCall: (id: string) => `${api}/calls/${one(id)}/replay`,
  snapshots: `${api}/snapshots`,
  snapshot: (version: number) => `${api}/snapshots/${version}`,
  events: `${api}/events`,
} as const;

export const PAGES = {
  overview: '/',
  extensions: '/extensions',
  extension: (id: string) => `/extensions/${one(id)}`,
  tools: '/tools',
  tool: (name: string) => `/tools/${one(name)}`,
  calls: '/calls',
  call: (id: string) => `/calls/${one(id)}`,
  failures: '/failures',
  timeline: '/timeline',
} as const;
