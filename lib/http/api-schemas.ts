import { z } from 'zod';
import {
  invitationListSchema,
  invitationSchema,
  invitedSchema,
  inviteSchema,
  joinLookSchema,
  joinOfferSchema,
  joinSchema,
  memberChangeSchema,
  memberListSchema,
  memberSchema,
  oidcBeginSchema,
  oidcBegunSchema,
  passwordChangeSchema,
  profileChangeSchema,
  sessionsEndedSchema,
  sessionViewSchema,
  signInSchema,
} from '#lib/contract/account.ts';
import {
  callExportQuerySchema,
  callFilterSchema,
  callPageSchema,
  callRequestSchema,
  callSchema,
  callStatsQuerySchema,
  callStatsSchema,
  replayRequestSchema,
} from '#lib/contract/call.ts';
import {
  channelListSchema,
  channelSchema,
  channelSettingsSchema,
  injectMessageSchema,
  messagePageSchema,
  messageSchema,
  sendMessageSchema,
} from '#lib/contract/channel.ts';
import { eventsQuerySchema } from '#lib/contract/events.ts';
import { extensionLogPageSchema, extensionLogQuerySchema, extensionResourcesSchema } from '#lib/contract/extension-process.ts';
import { extensionSettingsSchema } from '#lib/contract/extension-settings.ts';
import {
  extensionDetailSchema,
  extensionListSchema,
  extensionSchema,
  reloadReportSchema,
  reloadRequestSchema,
  revisionRequestSchema,
  revisionSchema,
  watchStateSchema,
} from '#lib/contract/extension.ts';
import {
  commentRequestSchema,
  failureChangesSchema,
  failureGroupDetailSchema,
  failureGroupSchema,
  failureSourceSchema,
  groupChangeSchema,
  groupFilterSchema,
  groupPageSchema,
  mergeRequestSchema,
  occurrencePageSchema,
  splitRequestSchema,
} from '#lib/contract/failure-group.ts';
import { auditExportQuerySchema, auditPageSchema, auditQuerySchema } from '#lib/contract/audit.ts';
import { failureSchema } from '#lib/contract/failure.ts';
import { healthSchema } from '#lib/contract/health.ts';
import { lastHourSchema } from '#lib/contract/last-hour.ts';
import { newExtensionMadeSchema, newExtensionSchema } from '#lib/contract/new-extension.ts';
import { presenceNoteSchema, presenceSchema } from '#lib/contract/presence.ts';
import { findingSchema, probeReportSchema, probeRequestSchema } from '#lib/contract/probe.ts';
import { problemDocumentSchema } from '#lib/contract/problem-document.ts';
import { revisionComparisonSchema, revisionPairSchema } from '#lib/contract/revision-comparison.ts';
import { pageQuerySchema, snapshotFilterSchema, snapshotPageSchema, snapshotSchema } from '#lib/contract/snapshot.ts';
import {
  runSavedCallSchema,
  saveCallSchema,
  savedCallChangeSchema,
  savedCallFilterSchema,
  savedCallListSchema,
  savedCallOutcomeSchema,
  savedCallSchema,
} from '#lib/contract/saved-call.ts';
import {
  sourceChangeSchema,
  sourceFileSchema,
  sourceRemovalSchema,
  sourceTreeSchema,
  sourceWriteSchema,
} from '#lib/contract/source-file.ts';
import { undoneSchema, undoPlanSchema, undoQuerySchema, undoRequestSchema } from '#lib/contract/source-undo.ts';
import { madeTokenSchema, makeTokenSchema, tokenListSchema, tokenSchema } from '#lib/contract/token.ts';
import { toolListSchema, toolSchema } from '#lib/contract/tool.ts';

/**
 * The schemas of the API by the names that the OpenAPI document gives them: the same that handlers parse with. One that is
 * part of another and has a name here is referred to instead of repeated.
 */
export const API_SCHEMAS = {
  Call: callSchema,
  CallPage: callPageSchema,
  CallStats: callStatsSchema,
  CallRequest: callRequestSchema,
  Channel: channelSchema,
  ChannelList: channelListSchema,
  ChannelSettings: channelSettingsSchema,
  CommentRequest: commentRequestSchema,
  Extension: extensionSchema,
  ExtensionDetail: extensionDetailSchema,
  ExtensionList: extensionListSchema,
  ExtensionLogPage: extensionLogPageSchema,
  ExtensionResources: extensionResourcesSchema,
  ExtensionSettings: extensionSettingsSchema,
  Failure: failureSchema,
  FailureChanges: failureChangesSchema,
  FailureGroup: failureGroupSchema,
  FailureGroupChange: groupChangeSchema,
  FailureGroupDetail: failureGroupDetailSchema,
  FailureGroupPage: groupPageSchema,
  FailurePage: occurrencePageSchema,
  FailureSource: failureSourceSchema,
  Health: healthSchema,
  InjectMessage: injectMessageSchema,
  Invitation: invitationSchema,
  InvitationList: invitationListSchema,
  Invite: inviteSchema,
  Invited: invitedSchema,
  Join: joinSchema,
  JoinLook: joinLookSchema,
  JoinOffer: joinOfferSchema,
  LastHour: lastHourSchema,
  Member: memberSchema,
  MemberChange: memberChangeSchema,
  MemberList: memberListSchema,
  MergeRequest: mergeRequestSchema,
  Message: messageSchema,
  MessagePage: messagePageSchema,
  NewExtension: newExtensionSchema,
  NewExtensionMade: newExtensionMadeSchema,
  Presence: presenceSchema,
  PresenceNote: presenceNoteSchema,
  OidcBegin: oidcBeginSchema,
  OidcBegun: oidcBegunSchema,
  PasswordChange: passwordChangeSchema,
  Problem: problemDocumentSchema,
  ProfileChange: profileChangeSchema,
  ReloadReport: reloadReportSchema,
  ReloadRequest: reloadRequestSchema,
  ReplayRequest: replayRequestSchema,
  Revision: revisionSchema,
  RevisionComparison: revisionComparisonSchema,
  RevisionRequest: revisionRequestSchema,
  Finding: findingSchema,
  ProbeReport: probeReportSchema,
  ProbeRequest: probeRequestSchema,
  RunSavedCall: runSavedCallSchema,
  SaveCall: saveCallSchema,
  SavedCall: savedCallSchema,
  SavedCallChange: savedCallChangeSchema,
  SavedCallList: savedCallListSchema,
  SavedCallOutcome: savedCallOutcomeSchema,
  SendMessage: sendMessageSchema,
  Session: sessionViewSchema,
  SessionsEnded: sessionsEndedSchema,
  SignIn: signInSchema,
  Snapshot: snapshotSchema,
  SnapshotPage: snapshotPageSchema,
  SourceChange: sourceChangeSchema,
  SourceFile: sourceFileSchema,
  SourceRemoval: sourceRemovalSchema,
  SourceTree: sourceTreeSchema,
  UndoPlan: undoPlanSchema,
  UndoRequest: undoRequestSchema,
  Undone: undoneSchema,
  SourceWrite: sourceWriteSchema,
  SplitRequest: splitRequestSchema,
  AuditPage: auditPageSchema,
  MadeToken: madeTokenSchema,
  MakeToken: makeTokenSchema,
  Token: tokenSchema,
  TokenList: tokenListSchema,
  Tool: toolSchema,
  ToolList: toolListSchema,
  WatchState: watchStateSchema,
} as const satisfies Record<string, z.ZodType>;

export type SchemaName = keyof typeof API_SCHEMAS;

/** Queries are spread out into parameters, so they need no name in the document. */
export const API_QUERIES = {
  audit: auditQuerySchema,
  auditExport: auditExportQuerySchema,
  callExport: callExportQuerySchema,
  calls: callFilterSchema,
  callStats: callStatsQuerySchema,
  events: eventsQuerySchema,
  extensionLogs: extensionLogQuerySchema,
  failures: groupFilterSchema,
  page: pageQuerySchema,
  revisions: revisionPairSchema,
  undo: undoQuerySchema,
  savedCalls: savedCallFilterSchema,
  snapshots: snapshotFilterSchema,
} as const satisfies Record<string, z.ZodObject>;

export type QueryName = keyof typeof API_QUERIES;

type JsonObject = Record<string, unknown>;

/** Each as a JSON Schema that refers to the others below `#/components/schemas`. */
export function namedSchemas(): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(API_SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...CONVERSION, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutHead(schema)]));
}

/** The fields of a query: name, schema, and whether it must be there. */
export function queryFields(name: QueryName): { readonly name: string; readonly schema: JsonObject; readonly required: boolean }[] {
  const { shape } = API_QUERIES[name];
  return Object.entries<z.ZodType>(shape).map(([field, schema]) => ({
    name: field,
    schema: withoutHead(z.toJSONSchema(schema, CONVERSION)),
    required: !schema.safeParse(undefined).success,
  }));
}

/** What may be sent, so that a default is no required field; a time by its format alone, without zod's long pattern. */
const CONVERSION = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  },
} as const;

function withoutHead(schema: z.core.JSONSchema.BaseSchema): JsonObject {
  const { $schema: _schema, $id: _id, '~standard': _standard, ...rest } = schema;
  return rest;
}
