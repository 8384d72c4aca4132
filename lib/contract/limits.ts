/** Limits visible to users, in bytes, milliseconds or counts. Defaults where a variable overrides them. */
export const LIMITS = {
  bodyBytes: 1_048_576,
  bodyDepth: 64,
  nameLength: 64,
  listDefault: 50,
  listMost: 200,
  listValueBytes: 2_048,
  callsPerExtension: 16,
  callsWaiting: 1_000,
  callTimeoutMs: 60_000,
  callTimeoutMostMs: 3_600_000,
  /** Of a caller, to a question of an MCP server. */
  answerMs: 600_000,
  loadTimeoutMs: 10_000,
  /** An install of dependencies: time, size, and how long an unused one is kept. */
  installMs: 600_000,
  environmentBytes: 4_294_967_296,
  environmentUnusedMs: 604_800_000,
  statusTimeoutMs: 2_000,
  drainMs: 10_000,
  channelConnectMs: 30_000,
  channelSendMs: 60_000,
  /** Characters of a message's text, and bytes of its metadata as JSON. */
  messageTextLength: 65_536,
  messageMetadataBytes: 65_536,
  /** Characters of the sender of an inbound message. An index of the database contains it. */
  messageSenderLength: 500,
  /** Queued outbound messages per channel. */
  messagesQueued: 1_000,
  /** Attempts before a dead letter. */
  messageAttempts: 8,
  /** Concurrent and waiting commands per channel. */
  commandsAtOnce: 16,
  commandsWaiting: 1_000,
  /** Characters of the reply to a command. */
  replyLength: 4_000,
  channelBackoffMs: 1_000,
  channelBackoffMostMs: 60_000,
  resultBytes: 10_485_760,
  callLogBytes: 65_536,
  extensionLogBytes: 65_536,
  errorMessageBytes: 8_192,
  extensionMemoryMb: 512,
  extensionIdleSeconds: 600,
  /** File edited in the dashboard. */
  sourceFileBytes: 524_288,
  schemaBytes: 65_536,
  schemaDepth: 32,
  schemaSubschemas: 1_000,
  toolsPerExtension: 1_000,
  /** Resources, resource templates and prompts of an MCP server, each. */
  featuresPerExtension: 1_000,
  /** Idempotency keys: lifetime, number and length. */
  idempotencyKeyMs: 86_400_000,
  idempotencyKeys: 1_000_000,
  idempotencyKeyLength: 255,
  eventsKept: 10_000,
  eventStreams: 2_000,
  eventStreamBehindBytes: 262_144,
  eventHeartbeatMs: 15_000,
  revisionsKept: 20,
  /** Of the memory and processor time of each extension. */
  resourceSamplesKept: 240,
  /** Call history: default number of calls, and intervals of its statistics. */
  callsKept: 1_000_000,
  /** Default retention: snapshots, revisions per extension, messages per channel. */
  snapshotsKept: 10_000,
  revisionsOnRecord: 1_000,
  messagesKept: 100_000,
  statsBuckets: 60,
  statsBucketsMost: 200,
  /** Of one probe. */
  probeRuns: 500,
  probeMs: 60_000,
  /** Generating arguments between two calls. */
  probeThinkMs: 10_000,
  /** Per tool; characters of a name; bytes of arguments and expectation. */
  savedCallsPerTool: 100,
  savedCallNameLength: 100,
  savedCallBytes: 65_536,
  /** Saved calls offered to agents. */
  savedCallsListed: 1_000,
  /** Required checks per extension, concurrent ones, and total time. */
  requiredChecks: 50,
  requiredChecksAtOnce: 4,
  requiredChecksMs: 30_000,
  /** Failed checks per failure, and bytes of expected and actual result. */
  failedChecksKept: 10,
  failedCheckBytes: 2_048,
  /** Per address: calls and writes a second, and concurrent requests. */
  callsPerSecond: 50_000,
  writesPerSecond: 10_000,
  concurrentRequests: 4_000,
  storageLockedMs: 5_000,
  adminAttemptsPerMinute: 10,
  /** Sign-in attempts in ten seconds per account and per address; concurrent and waiting password checks. */
  signInsPerTenSeconds: 3,
  passwordChecksAtOnce: 2,
  passwordChecksWaiting: 50,
  /** Session lifetime without use, and in total. */
  sessionIdleMs: 43_200_000,
  sessionMostMs: 604_800_000,
  sessionsPerMember: 50,
  firstAdminLinkMs: 86_400_000,
  invitationMs: 604_800_000,
  invitationsOpen: 200,
  /** Characters. */
  passwordLeast: 12,
  passwordMost: 256,
  passwordGivenLength: 1_024,
  personNameLength: 60,
  emailLength: 254,
  /** API tokens: default and maximum days; tools per token; active tokens; wrong ones a minute per address; how long inactive ones are listed. */
  tokenDays: 90,
  tokenDaysMost: 365,
  tokenTools: 200,
  tokensAtOnce: 500,
  tokenAttemptsPerMinute: 10,
  tokensListedMs: 7_776_000_000,
  /** OAuth: lifetime of codes, access tokens, used refresh tokens and grants without use; grants per member. */
  oauthCodeMs: 60_000,
  oauthAccessMs: 3_600_000,
  oauthRefreshAgainMs: 30_000,
  oauthGrantMs: 2_592_000_000,
  oauthGrantsPerMember: 100,
  /** Registered clients: an hour per address, in total, and lifetime without a grant and without a new one. */
  oauthRegistrationsPerHour: 60,
  oauthClientsAtOnce: 1_000,
  oauthClientUnusedMs: 86_400_000,
  oauthClientIdleMs: 15_552_000_000,
  oauthRedirects: 20,
  oauthUrlLength: 2_048,
  /** Each request of a sign-in at an MCP server. */
  serverSignInMs: 10_000,
  /** Client metadata documents: bytes, time, cache. */
  oauthDocumentBytes: 65_536,
  oauthDocumentMs: 5_000,
  oauthDocumentCachedMs: 300_000,
  /** Calls a second per token; streams per account or token. */
  callsPerSecondOfToken: 50,
  streamsPerPrincipal: 20,
  /** Toolsets, tools of one, and characters of its instructions and of a description. */
  toolsets: 200,
  toolsetTools: 2_000,
  toolsetMembers: 500,
  toolsetTextLength: 10_000,
  /** MCP servers in one import. */
  serversImported: 200,
  /** Named secrets, and characters of one. */
  secrets: 200,
  secretCharacters: 32_768,
  crashesAllowed: 3,
  crashWindowMs: 300_000,
  /** Failure review: characters of a comment and reason; comments per group. */
  commentLength: 10_000,
  reviewReasonLength: 500,
  commentsPerGroup: 500,
  /** Newest kept of each group. */
  activitiesKept: 500,
  /** Per extension; untouched groups are deleted beyond it. */
  failureGroupsKept: 500,
  sightingsKept: 500,
  /** Stored occurrences of a group; the count continues. */
  failureRecordsKept: 500,
} as const;

/** Heartbeat interval and expiry of presence. */
export const PRESENCE_BEAT_MS = 15_000;
export const PRESENCE_LASTS_MS = 40_000;
