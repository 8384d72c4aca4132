import { z } from 'zod';
import { failureSchema } from './failure.ts';
import { FAILURE_CODES, STAGES } from './failure-codes.ts';
import type { FailureCode } from './failure-codes.ts';
import { GROUP_SEARCH_MOST, GROUP_STATUSES, UNTIL_CHANGED } from './group-states.ts';
import { LIMITS } from './limits.ts';

const CODES = Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]];

export { GROUP_STATUSES, UNTIL_CHANGED } from './group-states.ts';
export type { GroupStatus } from './group-states.ts';

export const groupRevisionSchema = z.object({ revision: z.number().int().nullable(), snapshot_version: z.number().int() });
export type GroupRevision = z.infer<typeof groupRevisionSchema>;

/** Where a failure happened: names of variables, never their values. */
export const failureEnvironmentSchema = z.object({
  runtime: z.string(),
  version: z.string().nullable(),
  variables: z.array(z.string()),
  permissions: z.array(z.string()),
  /** Installed packages that the sources import, with their versions; absent where that is not known. */
  packages: z.record(z.string(), z.string()).exactOptional(),
});
export type FailureEnvironment = z.infer<typeof failureEnvironmentSchema>;

/** What makes two occurrences one group; `message` with its volatile parts replaced, for example `<number>`. */
export const groupBasisSchema = z.object({
  extension: z.string(),
  stage: z.string(),
  code: z.string(),
  /** The extension's own frame: `file` or `file function`; null when the fault is in no file. */
  frame: z.string().nullable(),
  message: z.string(),
});
export type GroupBasis = z.infer<typeof groupBasisSchema>;

export const groupFingerprintSchema = z.object({
  fingerprint: z.string(),
  basis: groupBasisSchema.nullable(),
  /** It came here by a merge; null: it is the group's own. */
  merged_from: z.string().nullable(),
  /** It was split off: occurrences are told apart by their exact message. */
  exact: z.boolean(),
});
export type GroupFingerprint = z.infer<typeof groupFingerprintSchema>;

export const mentionSchema = z.object({ id: z.string(), name: z.string() });
export type Mention = z.infer<typeof mentionSchema>;

export const groupCommentSchema = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  actor: z.string().nullable(),
  /** Markdown. */
  text: z.string(),
  /** Members of a team that the text names behind an `@`, as they were called then; absent for none. */
  mentions: z.array(mentionSchema).exactOptional(),
});
export type GroupComment = z.infer<typeof groupCommentSchema>;

export const ACTIVITY_KINDS = [
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

/** Who did what when. `automatic`: the host did, of its own. */
export const groupActivitySchema = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  actor: z.string().nullable(),
  automatic: z.boolean(),
  kind: z.enum(ACTIVITY_KINDS),
  /** What it was and what it became: a status, an assignee, an id of a group. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Who was mentioned, as they were called then. */
  names: z.array(z.string()).exactOptional(),
  reason: z.string().nullable(),
  ignore_until: z.string().nullable(),
  /** The revision that fixed it or brought it back, and the one that had fixed it. */
  revision: z.number().int().nullable(),
  fixed_in: z.number().int().nullable(),
  snapshot_version: z.number().int().nullable(),
});
export type GroupActivity = z.infer<typeof groupActivitySchema>;

/** How often it was seen in equal spans of time, oldest first; the last one ends at `until`. */
export const groupTrendSchema = z.object({ until: z.iso.datetime(), span_ms: z.number().int(), counts: z.array(z.number().int()) });
export type GroupTrend = z.infer<typeof groupTrendSchema>;

/** How often a revision failed so in a snapshot version. */
export const groupOccurrencesSchema = z.object({
  snapshot_version: z.number().int(),
  revision: z.number().int().nullable(),
  count: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
});
export type GroupOccurrences = z.infer<typeof groupOccurrencesSchema>;

/** Another group with the same cause: a helper that broke several extensions, a package that is missing for all of them. */
export const relatedGroupSchema = z.object({ id: z.string(), extension: z.string() });

export const failureGroupSchema = z.object({
  id: z.string(),
  fingerprint: z.string(),
  title: z.string(),
  extension: z.string(),
  stage: z.enum(STAGES),
  code: z.enum(CODES),
  status: z.enum(GROUP_STATUSES),
  /** It was resolved and came back. */
  regression: z.boolean(),
  count: z.number().int(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  first_version: z.number().int(),
  last_version: z.number().int(),
  /** What fixed it; of a regression, what had fixed it. A null revision: the extension was removed. */
  resolved_by: groupRevisionSchema.nullable(),
  /** What brought it back; null when it did not come back. */
  regressed_by: groupRevisionSchema.nullable(),
  assignee: z.string().nullable(),
  /** The member who has it. Absent without accounts, and where the name is of nobody who ever joined. */
  assignee_member: z.object({ id: z.string(), active: z.boolean() }).exactOptional(),
  /** While ignored: a time, `changed` (until other content fails so), or null (for good). */
  ignore_until: z.string().nullable(),
  reason: z.string().nullable(),
  latest: failureSchema,
  /** Oldest first; in lists the newest few. */
  comments: z.array(groupCommentSchema),
  comment_count: z.number().int(),
  activity: z.array(groupActivitySchema),
  trend: groupTrendSchema,
  /** Not resolved and not ignored. */
  related: z.array(relatedGroupSchema),
});
export type FailureGroup = z.infer<typeof failureGroupSchema>;

/** One group with all that its page shows. */
export const failureGroupDetailSchema = failureGroupSchema.extend({
  fingerprints: z.array(groupFingerprintSchema),
  environment: failureEnvironmentSchema.nullable(),
  /** Newest first. */
  occurrences: z.array(groupOccurrencesSchema),
});
export type FailureGroupDetail = z.infer<typeof failureGroupDetailSchema>;

export const groupCountsSchema = z.object({
  open: z.number().int(),
  acknowledged: z.number().int(),
  ignored: z.number().int(),
  resolved: z.number().int(),
  /** For a member: how many of the open and acknowledged ones mention him. */
  needs_you: z.number().int().exactOptional(),
});
export type GroupCounts = z.infer<typeof groupCountsSchema>;

export const groupPageSchema = z.object({
  groups: z.array(failureGroupSchema),
  next_cursor: z.string().nullable(),
  /** Of all groups, whatever the filter. */
  counts: groupCountsSchema,
});
export type GroupPage = z.infer<typeof groupPageSchema>;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What stands for the member who asks. */
export const ME = 'me';

/** The query of `GET /failures`. An empty `assignee` asks for those that nobody has; `mentions` is the id of a member, or `me`. */
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
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'one line without control characters is accepted');

/** What people change of a group; what is not named stays. */
export const groupChangeSchema = z.strictObject({
  status: z.enum(GROUP_STATUSES).optional(),
  assignee: plainLine(LIMITS.nameLength).nullable().optional(),
  reason: z.string().trim().max(LIMITS.reviewReasonLength).nullable().optional(),
  ignore_until: z
    .union([z.literal(UNTIL_CHANGED), z.iso.datetime({ offset: true })], `a time, "${UNTIL_CHANGED}" or null (for good) is accepted`)
    .nullable()
    .optional(),
});
export type GroupChange = z.infer<typeof groupChangeSchema>;

export const commentRequestSchema = z.strictObject({ text: z.string().trim().min(1).max(LIMITS.commentLength) });
export const mergeRequestSchema = z.strictObject({ into: z.string().max(64) });
export const splitRequestSchema = z.strictObject({ failure_id: z.string().max(64) });

export const occurrencePageSchema = z.object({ failures: z.array(failureSchema), next_cursor: z.string().nullable() });
export type OccurrencePage = z.infer<typeof occurrencePageSchema>;

export const hunkSchema = z.object({
  old_start: z.number().int(),
  new_start: z.number().int(),
  /** It holds the line of the fault. */
  guilty: z.boolean(),
  lines: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })),
});
export type Hunk = z.infer<typeof hunkSchema>;

export const changedFileSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  /** The one with the fault in it. */
  guilty: z.boolean(),
  added: z.number().int(),
  removed: z.number().int(),
  /** The guilty one first; null when the two are too different to be compared line by line. */
  hunks: z.array(hunkSchema).nullable(),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

export const changedPackageSchema = z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() });
export type ChangedPackage = z.infer<typeof changedPackageSchema>;

/** What changed since it worked. `comparable` is false when there is nothing to compare; `note` says why. */
export const failureChangesSchema = z.object({
  failing_revision: z.number().int().nullable(),
  good_revision: z.number().int().nullable(),
  comparable: z.boolean(),
  note: z.string().nullable(),
  files: z.array(changedFileSchema),
  /** Installed packages that are of another version, and those that came (`before` is null) or went. */
  packages: z.array(changedPackageSchema),
});
export type FailureChanges = z.infer<typeof failureChangesSchema>;

/** The file of the fault as the failing revision had it. */
export const failureSourceSchema = z.object({
  file: z.string(),
  revision: z.number().int().nullable(),
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
  text: z.string(),
});
export type FailureSource = z.infer<typeof failureSourceSchema>;
