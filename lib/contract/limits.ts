/** Numbers that users can run into. Bytes, milliseconds, counts. Where a variable of the environment sets one, this is its default. */
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
  loadTimeoutMs: 10_000,
  statusTimeoutMs: 2_000,
  drainMs: 10_000,
  channelConnectMs: 30_000,
  channelSendMs: 60_000,
  /** Characters of a message's text, and bytes of its metadata as JSON. */
  messageTextLength: 65_536,
  messageMetadataBytes: 65_536,
  /** Outbound messages of a channel that wait at most. */
  messagesQueued: 1_000,
  /** How often an outbound message is tried before it is a dead letter. */
  messageAttempts: 8,
  /** Calls of commands of a channel at a time, and how many more may wait. */
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
  /** Of a file that is edited in the dashboard. */
  sourceFileBytes: 524_288,
  schemaBytes: 65_536,
  schemaDepth: 32,
  schemaSubschemas: 1_000,
  toolsPerExtension: 1_000,
  /** How long, how many and how long keys are by which a repeated request is known. */
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
  /** Of the history: calls kept when nobody says how many, and intervals of its statistics. */
  callsKept: 1_000_000,
  /** When nobody says how many: versions of the set, revisions on record of each extension, messages of each channel. */
  snapshotsKept: 10_000,
  revisionsOnRecord: 1_000,
  messagesKept: 100_000,
  statsBuckets: 60,
  statsBucketsMost: 200,
  /** Of one probe. */
  probeRuns: 500,
  probeMs: 60_000,
  /** For the making up of arguments between two calls. */
  probeThinkMs: 10_000,
  /** Of each tool; characters of a name; bytes of arguments and expectation together. */
  savedCallsPerTool: 100,
  savedCallNameLength: 100,
  savedCallBytes: 65_536,
  /** Of all tools, where agents are offered them. */
  savedCallsListed: 1_000,
  /** Checks that the revisions of one extension must pass, how many of them are made at a time, and how long all may take together. */
  requiredChecks: 50,
  requiredChecksAtOnce: 4,
  requiredChecksMs: 30_000,
  /** Of a failure: checks that it tells of, and bytes of what was expected and of what came. */
  failedChecksKept: 10,
  failedCheckBytes: 2_048,
  /** Of one address: calls and writes a second, and how many of both are under way at a time. */
  callsPerSecond: 50_000,
  writesPerSecond: 10_000,
  concurrentRequests: 4_000,
  storageLockedMs: 5_000,
  adminAttemptsPerMinute: 10,
  /** Of a team: tries to sign in within ten seconds, each for an account and for an address; passwords that are checked at a time, and how many more may wait. */
  signInsPerTenSeconds: 3,
  passwordChecksAtOnce: 2,
  passwordChecksWaiting: 50,
  /** A session ends when it is not used for so long, and so long after its person signed in. */
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
  /** Tokens of a team: days until one expires when nobody says, and at most; tools that one may name; how many there are that work; wrong ones in a minute from an address; how long one that does not work any more is still listed. */
  tokenDays: 90,
  tokenDaysMost: 365,
  tokenTools: 200,
  tokensAtOnce: 500,
  tokenAttemptsPerMinute: 10,
  tokensListedMs: 7_776_000_000,
  /** Of one token: calls a second. Of one account or token: event streams and streams of agents together. */
  callsPerSecondOfToken: 50,
  streamsPerPrincipal: 20,
  crashesAllowed: 3,
  crashWindowMs: 300_000,
  /** Of the review of failures: characters of a comment and of a reason; comments of a group. */
  commentLength: 10_000,
  reviewReasonLength: 500,
  commentsPerGroup: 500,
  /** Newest kept of each group. */
  activitiesKept: 500,
  /** Of each extension; more go when nobody did anything with them. */
  failureGroupsKept: 500,
  sightingsKept: 500,
  /** Revisions of a group with their texts; how often it was seen is counted on. */
  failureRecordsKept: 500,
} as const;
