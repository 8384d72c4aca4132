import * as z from 'zod';
import { type Action, ACTIONS, ROLE_NAMES } from './actions.ts';
import { LIMITS } from './limits.ts';

/** Members: sign-in, invitations, roles. */

export const roleSchema = z.enum(ROLE_NAMES);

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

export const actionSchema = z.string().refine(isAction);

export const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  /** Two letters for the avatar. */
  initials: z.string(),
  role: roleSchema,
});
export type Person = z.infer<typeof personSchema>;

/** `GET /session`: the caller and their allowed actions. */
export const sessionViewSchema = z.object({
  mode: z.enum(['local', 'team']),
  /** Null: not signed in, or no accounts. */
  person: personSchema.nullable(),
  may: z.array(actionSchema),
  sign_in: z.object({
    password: z.boolean(),
    /** The identity provider. */
    oidc: z.object({ name: z.string() }).nullable(),
  }),
  /** No member exists yet. */
  needs_first_admin: z.boolean(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

/** Case and surrounding spaces are ignored. */
const email = z.string().trim().toLowerCase().max(LIMITS.emailLength).pipe(z.email());
/** One line without invisible characters. */
export const personNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(LIMITS.personNameLength)
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'one line without control characters is accepted');
/** Length and strength are checked separately: `password_weak`. */
const password = z.string().max(LIMITS.passwordGivenLength);
const secret = z.string().min(1).max(200);
/** Page to open afterwards: a path of this server. */
const path = z.string().max(2_048);

export const signInSchema = z.strictObject({ email: z.string().trim().toLowerCase().max(LIMITS.emailLength), password });
export type SignIn = z.infer<typeof signInSchema>;

export const sessionsEndedSchema = z.object({ ended: z.number().int() });

export const oidcBeginSchema = z.strictObject({ to: path.optional() });
export const oidcBegunSchema = z.object({ url: z.url() });
export type OidcBegun = z.infer<typeof oidcBegunSchema>;

export const joinLookSchema = z.strictObject({ secret });
/** Purpose of an invitation link. */
export const joinOfferSchema = z.object({
  kind: z.enum(['first_admin', 'recovery', 'invitation']),
  /** Null: chosen by the invited person. */
  email: z.string().nullable(),
  role: roleSchema,
  expires_at: z.iso.datetime(),
  /** Null if the server created the link. */
  invited_by: z.string().nullable(),
});
export type JoinOffer = z.infer<typeof joinOfferSchema>;

export const joinSchema = z.strictObject({ secret, name: personNameSchema, email, password });
export type Join = z.infer<typeof joinSchema>;

export const profileChangeSchema = z.strictObject({ name: personNameSchema });
export type ProfileChange = z.infer<typeof profileChangeSchema>;

export const passwordChangeSchema = z.strictObject({ current: password, next: password });
export type PasswordChange = z.infer<typeof passwordChangeSchema>;

export const memberSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Only for admins. */
  email: z.string().optional(),
  initials: z.string(),
  role: roleSchema,
  /** An inactive member cannot sign in. */
  active: z.boolean(),
  /** To the minute; null: never. */
  last_seen: z.iso.datetime().nullable(),
  joined_at: z.iso.datetime(),
  sign_in: z.enum(['password', 'oidc']),
});
export type MemberView = z.infer<typeof memberSchema>;

export const memberListSchema = z.object({ members: z.array(memberSchema) });
export type MemberList = z.infer<typeof memberListSchema>;

export const memberChangeSchema = z
  .strictObject({ role: roleSchema.optional(), active: z.boolean().optional() })
  .refine((change) => change.role !== undefined || change.active !== undefined, { message: 'give `role` or `active`' });
export type MemberChange = z.infer<typeof memberChangeSchema>;

export const invitationSchema = z.object({
  id: z.string(),
  /** Null: anyone with the link. */
  email: z.string().nullable(),
  role: roleSchema,
  invited_by: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type Invitation = z.infer<typeof invitationSchema>;

export const invitationListSchema = z.object({ invitations: z.array(invitationSchema) });
export type InvitationList = z.infer<typeof invitationListSchema>;

export const inviteSchema = z.strictObject({ email: email.nullable().default(null), role: roleSchema });
export type Invite = z.infer<typeof inviteSchema>;

/** Shown once. */
export const invitedSchema = z.object({ invitation: invitationSchema, link: z.url() });
export type Invited = z.infer<typeof invitedSchema>;
