/** All URLs of API and pages. Ids with a slash are encoded. */
const api = '/api/v1';
const one = encodeURIComponent;

export const API = {
  root: api,
  extensions: `${api}/extensions`,
  reload: `${api}/extensions/reload`,
  testWatching: `${api}/watch/self-test`,
  extension: (id: string) => `${api}/extensions/${one(id)}`,
  extensionLogs: (id: string) => `${api}/extensions/${one(id)}/logs`,
  extensionResources: (id: string) => `${api}/extensions/${one(id)}/resources`,
  extensionSettings: (id: string) => `${api}/extensions/${one(id)}/settings`,
  extensionDependencies: (id: string) => `${api}/extensions/${one(id)}/dependencies`,
  installPreview: (id: string) => `${api}/extensions/${one(id)}/dependencies/preview`,
  installDependencies: (id: string) => `${api}/extensions/${one(id)}/install`,
  cancelInstall: (id: string) => `${api}/extensions/${one(id)}/install/cancel`,
  serverFeatures: (id: string) => `${api}/extensions/${one(id)}/mcp`,
  readServerResource: (id: string) => `${api}/extensions/${one(id)}/mcp/resources/read`,
  getServerPrompt: (id: string) => `${api}/extensions/${one(id)}/mcp/prompts/get`,
  completeServerArgument: (id: string) => `${api}/extensions/${one(id)}/mcp/complete`,
  serverApp: (id: string, uri: string) => `${api}/extensions/${one(id)}/mcp/app?uri=${one(uri)}`,
  serverSignIn: (id: string) => `${api}/extensions/${one(id)}/sign-in`,
  signInCallback: `${api}/servers/sign-in/callback`,
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
  answerCall: (id: string) => `${api}/calls/${one(id)}/answer`,
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
  failurePresence: (id: string) => `${api}/failures/${one(id)}/presence`,
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
  session: `${api}/session`,
  /** All own sessions. */
  sessions: `${api}/sessions`,
  beginOidc: `${api}/session/oidc`,
  oidcCallback: `${api}/session/oidc/callback`,
  join: `${api}/join`,
  lookAtJoin: `${api}/join/look`,
  profile: `${api}/profile`,
  changePassword: `${api}/profile/password`,
  ownTokens: `${api}/profile/tokens`,
  ownToken: (id: string) => `${api}/profile/tokens/${one(id)}`,
  members: `${api}/members`,
  member: (id: string) => `${api}/members/${one(id)}`,
  signOutMember: (id: string) => `${api}/members/${one(id)}/sign-out`,
  invitations: `${api}/invitations`,
  invitation: (id: string) => `${api}/invitations/${one(id)}`,
  tokens: `${api}/tokens`,
  token: (id: string) => `${api}/tokens/${one(id)}`,
  audit: `${api}/audit`,
  exportAudit: `${api}/audit/export`,
  toolsets: `${api}/toolsets`,
  toolset: (name: string) => `${api}/toolsets/${one(name)}`,
  servers: `${api}/servers`,
  server: (name: string) => `${api}/servers/${one(name)}`,
  testServer: `${api}/servers/test`,
  importServers: `${api}/servers/import`,
  exportServers: (client: string) => `${api}/servers/export?client=${one(client)}`,
  instances: `${api}/instances`,
  conflicts: `${api}/conflicts`,
  conflict: (id: string) => `${api}/conflicts/${one(id)}`,
  secrets: `${api}/secrets`,
  secret: (name: string) => `${api}/secrets/${one(name)}`,
  openApi: `${api}/openapi.json`,
} as const;

/** OAuth for the MCP endpoint. Metadata are also at these addresses followed by the path of the endpoint. */
export const OAUTH = {
  protectedResource: '/.well-known/oauth-protected-resource',
  server: '/.well-known/oauth-authorization-server',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  consent: `${api}/oauth/consent`,
  /** The document of Switchboard as a client of other authorization servers. */
  ownClient: '/oauth/client-metadata.json',
} as const;

/** MCP endpoint. */
export const MCP_PATH = '/mcp';

/** Of a toolset. */
export function toolsetPath(name: string): string {
  return `${MCP_PATH}/${one(name)}`;
}

export const PAGES = {
  overview: '/',
  extensions: '/extensions',
  extension: (id: string) => `/extensions/${one(id)}`,
  tools: '/tools',
  tool: (name: string) => `/tools/${one(name)}`,
  /** Opens its arguments in the form. */
  savedCall: (tool: string, id: string) => `/tools/${one(tool)}?saved=${one(id)}`,
  calls: '/calls',
  callsOfInstance: (id: string) => `/calls?instance=${one(id)}`,
  call: (id: string) => `/calls/${one(id)}`,
  /** Without `b` the page offers calls to choose. */
  compareCalls: (a: string, b?: string) => `/calls/compare?a=${one(a)}${b === undefined ? '' : `&b=${one(b)}`}`,
  channels: '/channels',
  channel: (name: string) => `/channels/${one(name)}`,
  failures: '/failures',
  failure: (id: string) => `/failures/${one(id)}`,
  timeline: '/timeline',
  signIn: '/sign-in',
  /** Opens `to` afterwards. */
  signInTo: (to: string) => (to === '/' ? '/sign-in' : `/sign-in?to=${one(to)}`),
  join: '/join',
  profile: '/profile',
  consent: '/consent',
  team: '/team',
  tokens: '/team/tokens',
  audit: '/team/audit',
  toolsets: '/settings/toolsets',
  instances: '/instances',
  secrets: '/settings/secrets',
  /** Asks for its value. */
  addSecret: (name: string) => `/settings/secrets?add=${one(name)}`,
  version: (version: number) => `/timeline?version=${version}`,
} as const;

/** A part of an address without its encoding; as it is if that is invalid. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
