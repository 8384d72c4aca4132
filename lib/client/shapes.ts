import type * as z from 'zod';

/*
 * Response schemas, loaded with the first response: the first render needs none, and validation would be a sixth of the page's
 * scripts.
 */
export type Shape<Schema extends z.ZodType> = () => Promise<Schema>;

const account = () => import('#lib/contract/account.ts');
const call = () => import('#lib/contract/call.ts');
const channel = () => import('#lib/contract/channel.ts');
const extension = () => import('#lib/contract/extension.ts');
const failureGroup = () => import('#lib/contract/failure-group.ts');
const snapshot = () => import('#lib/contract/snapshot.ts');
const oauth = () => import('#lib/contract/oauth.ts');
const token = () => import('#lib/contract/token.ts');
const tool = () => import('#lib/contract/tool.ts');

export const SHAPES = {
  call: async () => (await call()).callSchema,
  callPage: async () => (await call()).callPageSchema,
  channel: async () => (await channel()).channelSchema,
  channelList: async () => (await channel()).channelListSchema,
  message: async () => (await channel()).messageSchema,
  messagePage: async () => (await channel()).messagePageSchema,
  extension: async () => (await extension()).extensionSchema,
  extensionConflict: async () => (await extension()).extensionConflictSchema,
  fileConflictList: async () => (await extension()).fileConflictListSchema,
  extensionDetail: async () => (await extension()).extensionDetailSchema,
  extensionList: async () => (await extension()).extensionListSchema,
  newExtensionMade: async () => (await import('#lib/contract/source-file.ts')).newExtensionMadeSchema,
  probeReport: async () => (await import('#lib/contract/probe.ts')).probeReportSchema,
  watchState: async () => (await extension()).watchStateSchema,
  reloadReport: async () => (await extension()).reloadReportSchema,
  failureChanges: async () => (await failureGroup()).failureChangesSchema,
  failureGroupDetail: async () => (await failureGroup()).failureGroupDetailSchema,
  failureSource: async () => (await failureGroup()).failureSourceSchema,
  groupPage: async () => (await failureGroup()).groupPageSchema,
  occurrencePage: async () => (await failureGroup()).occurrencePageSchema,
  revisionComparison: async () => (await import('#lib/contract/revision-comparison.ts')).revisionComparisonSchema,
  snapshot: async () => (await snapshot()).snapshotSchema,
  snapshotPage: async () => (await snapshot()).snapshotPageSchema,
  sourceChange: async () => (await import('#lib/contract/source-file.ts')).sourceChangeSchema,
  sourceFile: async () => (await import('#lib/contract/source-file.ts')).sourceFileSchema,
  sourceTree: async () => (await import('#lib/contract/source-file.ts')).sourceTreeSchema,
  session: async () => (await account()).sessionViewSchema,
  sessionsEnded: async () => (await account()).sessionsEndedSchema,
  oidcBegun: async () => (await account()).oidcBegunSchema,
  joinOffer: async () => (await account()).joinOfferSchema,
  member: async () => (await account()).memberSchema,
  memberList: async () => (await account()).memberListSchema,
  invitationList: async () => (await account()).invitationListSchema,
  invited: async () => (await account()).invitedSchema,
  tokenList: async () => (await token()).tokenListSchema,
  token: async () => (await token()).tokenSchema,
  consent: async () => (await oauth()).consentViewSchema,
  consentDecided: async () => (await oauth()).consentDecidedSchema,
  madeToken: async () => (await token()).madeTokenSchema,
  presence: async () => (await import('#lib/contract/failure-group.ts')).presenceSchema,
  auditPage: async () => (await import('#lib/contract/audit.ts')).auditPageSchema,
  undone: async () => (await import('#lib/contract/source-file.ts')).undoneSchema,
  undoPlan: async () => (await import('#lib/contract/source-file.ts')).undoPlanSchema,
  tool: async () => (await tool()).toolSchema,
  toolList: async () => (await tool()).toolListSchema,
} as const;
