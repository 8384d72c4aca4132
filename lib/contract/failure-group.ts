import * as z from 'zod';
import { failureSchema } from './failure.ts';
import { FAILURE_CODES, type FailureCode, STAGES } from './failure-codes.ts';
import { GROUP_SEARCH_MOST, GROUP_STATUSES, UNTIL_CHANGED } from './states.ts';
import { LIMITS } from './limits.ts';

const CODES = Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]];

export { GROUP_STATUSES, UNTIL_CHANGED } from './states.ts';
export type { GroupStatus } from './states.ts';

export const groupRevisionSchema = z.object({ revision: z.number().int().nullable(), snapshot_version: z.number().int() });
export type GroupRevision = z.infer<typeof groupRevisionSchema>;

/** Environment of a failure: variable names, no values. */
export const failureEnvironmentSchema = z.object({
  runtime: z.string(),
  version: z.string().nullable(),
  variables: z.array(z.string()),
  permissions: z.array(z.string()),
  /** Imported packages with versions; absent if unknown. */
  packages: z.record(z.string(), z.string()).exactOptional(),
});
export type FailureEnvironment = z.infer<typeof failureEnvironmentSchema>;

/** Grouping key; variable parts of `message` are replaced, for example by `<number>`. */
export const groupBasisSchema = z.object({
  extension: z.string(),
  stage: z.string(),
  code: z.string(),
  /** The extension's own frame: `file` or `file function`, or null. */
  frame: z.string().nullable(),
  message: z.string(),
});
export type GroupBasis = z.infer<typeof groupBasisSchema>;

const groupFingerprintSchema = z.object({
  fingerprint: z.string(),
  basis: groupBasisSchema.nullable(),
  /** Set if it was merged into this group. */
  merged_from: z.string().nullable(),
  /** It was split off: occurrences match by their exact message. */
  exact: z.boolean(),
});
export type GroupFingerprint = z.infer<typeof groupFingerprintSchema>;

const mentionSchema = z.object({ id: z.string(), name: z.string() });
export type Mention = z.infer<typeof mentionSchema>;

const groupCommentSchema = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  actor: z.string().nullable(),
  /** Markdown. */
  text: z.string(),
  /** Mentioned members, by their name at that time; absent for none. */
  mentions: z.array(mentionSchema).exactOptional(),
});
export type GroupComment = z.infer<typeof groupCommentSchema>;

const ACTIVITY_KINDS = [
  'opened',
  'status_changed',
  'assigned',
  'mentioned',
  'resolved',
  'regressed',
  'changed',
  'ignore_ended',
  'merged',
  'split',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** An activity. `automatic`: by the host. */
export const groupActivitySchema = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  actor: z.string().nullable(),
  automatic: z.boolean(),
  kind: z.enum(ACTIVITY_KINDS),
  /** Old and new value: a status, assignee or group id. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Mentioned members, by their name at that time. */
  names: z.array(z.string()).exactOptional(),
  reason: z.string().nullable(),
  ignore_until: z.string().nullable(),
  /** The revision that fixed or reintroduced it, and the one that had fixed it. */
  revision: z.number().int().nullable(),
  fixed_in: z.number().int().nullable(),
  snapshot_version: z.number().int().nullable(),
});
export type GroupActivity = z.infer<typeof groupActivitySchema>;

/** Occurrences in equal intervals, oldest first; the last ends at `until`. */
const groupTrendSchema = z.object({ until: z.iso.datetime(), span_ms: z.number().int(), counts: z.array(z.number().int()) });
export type GroupTrend = z.infer<typeof groupTrendSchema>;

/** Occurrences of a revision in a snapshot version. */
const groupOccurrencesSchema = z.object({
  snapshot_version: z.number().int(),
  revision: z.number().int().nullable(),
  count: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
});
export type GroupOccurrences = z.infer<typeof groupOccurrencesSchema>;

/** Another group with the same cause, such as a shared helper or missing package. */
const relatedGroupSchema = z.object({ id: z.string(), extension: z.string() });

export const failureGroupSchema = z.object({
  id: z.string(),
  fingerprint: z.string(),
  title: z.string(),
  extension: z.string(),
  stage: z.enum(STAGES),
  code: z.enum(CODES),
  status: z.enum(GROUP_STATUSES),
  /** It was resolved and occurred again. */
  regression: z.boolean(),
  count: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  first_version: z.number().int(),
  last_version: z.number().int(),
  /** What fixed it. A null revision: the extension was removed. */
  resolved_by: groupRevisionSchema.nullable(),
  /** What reintroduced it, or null. */
  regressed_by: groupRevisionSchema.nullable(),
  assignee: z.string().nullable(),
  /** The assigned member. Absent without accounts, or if no member has this name. */
  assignee_member: z.object({ id: z.string(), active: z.boolean() }).exactOptional(),
  /** While ignored: a time, `changed` (until different source fails the same way), or null (permanently). */
  ignore_until: z.string().nullable(),
  reason: z.string().nullable(),
  latest: failureSchema,
  /** Oldest first; in lists only the newest. */
  comments: z.array(groupCommentSchema),
  comment_count: z.number().int(),
  activity: z.array(groupActivitySchema),
  trend: groupTrendSchema,
  /** Not resolved and not ignored. */
  related: z.array(relatedGroupSchema),
});
export type FailureGroup = z.infer<typeof failureGroupSchema>;

/** A group with all details. */
export const failureGroupDetailSchema = failureGroupSchema.extend({
  fingerprints: z.array(groupFingerprintSchema),
  environment: failureEnvironmentSchema.nullable(),
  /** Newest first. */
  occurrences: z.array(groupOccurrencesSchema),
});
export type FailureGroupDetail = z.infer<typeof failureGroupDetailSchema>;

const groupCountsSchema = z.object({
  open: z.number().int(),
  acknowledged: z.number().int(),
  ignored: z.number().int(),
  resolved: z.number().int(),
  /** For a member: open and acknowledged groups that mention them. */
  needs_you: z.number().int().exactOptional(),
});
export type GroupCounts = z.infer<typeof groupCountsSchema>;

export const groupPageSchema = z.object({
  groups: z.array(failureGroupSchema),
  next_cursor: z.string().nullable(),
  /** Of all groups, independent of the filter. */
  counts: groupCountsSchema,
});
export type GroupPage = z.infer<typeof groupPageSchema>;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Alias for the calling member. */
export const ME = 'me';

/** The query of `GET /failures`. An empty `assignee` matches unassigned groups; `mentions` is the id of a member, or `me`. */
export const groupFilterSchema = z.strictObject({
  status: z.enum(GROUP_STATUSES).optional(),
  extension: z.string().max(200).optional(),
  code: z.enum(CODES).optional(),
  assignee: z.string().max(LIMITS.nameLength).optional(),
  regression: flag.optional(),
  mentions: z.string().min(1).max(64).optional(),
  q: z.string().max(GROUP_SEARCH_MOST).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.listMost).default(LIMITS.listDefault),
});
export type GroupFilter = z.infer<typeof groupFilterSchema>;

const plainLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'one line without control characters is accepted');

/** Changes to a group; omitted fields stay. */
export const groupChangeSchema = z.strictObject({
  status: z.enum(GROUP_STATUSES).optional(),
  assignee: plainLine(LIMITS.nameLength).nullable().optional(),
  reason: z.string().trim().max(LIMITS.reviewReasonLength).nullable().optional(),
  ignore_until: z
    .union([z.literal(UNTIL_CHANGED), z.iso.datetime({ offset: true })], `a time, "${UNTIL_CHANGED}" or null (permanently) is accepted`)
    .nullable()
    .optional(),
});
export type GroupChange = z.infer<typeof groupChangeSchema>;

export const commentRequestSchema = z.strictObject({ text: z.string().trim().min(1).max(LIMITS.commentLength) });
export const mergeRequestSchema = z.strictObject({ into: z.string().max(64) });
export const splitRequestSchema = z.strictObject({ failure_id: z.string().max(64) });

export const occurrencePageSchema = z.object({ failures: z.array(failureSchema), next_cursor: z.string().nullable() });
export type OccurrencePage = z.infer<typeof occurrencePageSchema>;

const hunkSchema = z.object({
  old_start: z.number().int(),
  new_start: z.number().int(),
  /** Contains the failing line. */
  guilty: z.boolean(),
  lines: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })),
});
export type Hunk = z.infer<typeof hunkSchema>;

const changedFileSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  /** Contains the failure. */
  guilty: z.boolean(),
  added: z.number().int(),
  removed: z.number().int(),
  /** The failing one first; null if there are too many differences for a line-by-line diff. */
  hunks: z.array(hunkSchema).nullable(),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

const changedPackageSchema = z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() });
export type ChangedPackage = z.infer<typeof changedPackageSchema>;

/** Changes since the last good revision. `comparable` is false if there is none; `note` says why. */
export const failureChangesSchema = z.object({
  failing_revision: z.number().int().nullable(),
  good_revision: z.number().int().nullable(),
  comparable: z.boolean(),
  note: z.string().nullable(),
  files: z.array(changedFileSchema),
  /** Packages with a different version, added (`before` is null) or removed. */
  packages: z.array(changedPackageSchema),
});
export type FailureChanges = z.infer<typeof failureChangesSchema>;

/** The failing file in the failing revision. */
export const failureSourceSchema = z.object({
  file: z.string(),
  revision: z.number().int().nullable(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  text: z.string(),
});
export type FailureSource = z.infer<typeof failureSourceSchema>;

/** Viewers of a failure's page. In memory only; expires without heartbeats. */

const PRESENT_DOINGS = ['looking', 'writing'] as const;
export type PresentDoing = (typeof PRESENT_DOINGS)[number];

/** `page` identifies a tab; `gone`: it was closed. */
export const presenceNoteSchema = z.strictObject({
  page: z
    .string()
    .min(8)
    .max(64)
    .regex(/^[\w-]+$/, 'letters, digits, - and _ are accepted'),
  doing: z.enum([...PRESENT_DOINGS, 'gone']),
});
export type PresenceNote = z.infer<typeof presenceNoteSchema>;

const presentPersonSchema = z.object({
  id: z.string(),
  name: z.string(),
  initials: z.string(),
  doing: z.enum(PRESENT_DOINGS),
});
export type PresentPerson = z.infer<typeof presentPersonSchema>;

/** Other viewers, earliest first. */
export const presenceSchema = z.object({ people: z.array(presentPersonSchema) });
export type Presence = z.infer<typeof presenceSchema>;
