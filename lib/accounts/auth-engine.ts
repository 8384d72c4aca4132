import { randomUUIDv7 } from 'node:crypto';
import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { LIMITS } from '#lib/contract/limits.ts';
import type { AccountRepository } from '#lib/store/account-store.ts';

/**
 * better-auth on our tables: passwords, sessions and OpenID Connect. Its HTTP routes are not exposed, because some return
 * session tokens; cookies, rate limits and roles are our own. Only this file imports it, and only with AUTH=team.
 */
export interface AuthEngine {
  /** Token of a new session; null for wrong credentials or an inactive account, in the same time. */
  signIn(email: string, password: string): Promise<string | null>;
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  /** Token of a new session for a person verified in another way. */
  beginSession(memberId: string): Promise<string>;
}

export interface AuthEngineOptions {
  readonly repository: AccountRepository;
  readonly secret: string;
  /** better-auth's log messages, without secrets. */
  onError(message: string): void;
}

const DATES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** Settings shared by both uses of better-auth. */
export function authOptions({ repository, secret, onError }: AuthEngineOptions) {
  return {
    secret,
    basePath: '/auth',
    database: { dialect: repository.dialect(), type: 'sqlite' },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (_level, message) => onError(message) },
    user: {
      modelName: 'members',
      fields: { emailVerified: 'email_verified', ...DATES },
      // Set only by our code, never from requests.
      additionalFields: {
        role: { type: 'string', required: false, input: false },
        active: { type: 'boolean', required: false, input: false },
        nameKey: { type: 'string', required: false, input: false, fieldName: 'name_key' },
        signInBy: { type: 'string', required: false, input: false, fieldName: 'sign_in' },
      },
    },
    session: {
      modelName: 'member_sessions',
      fields: { userId: 'member_id', expiresAt: 'expires_at', ipAddress: 'ip_address', userAgent: 'user_agent', ...DATES },
      expiresIn: LIMITS.sessionMostMs / 1_000,
      disableSessionRefresh: true,
    },
    account: {
      modelName: 'member_credentials',
      fields: {
        userId: 'member_id',
        providerId: 'provider_id',
        accountId: 'account_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        ...DATES,
      },
    },
    verification: { modelName: 'sign_in_states', fields: { expiresAt: 'expires_at', ...DATES } },
    advanced: {
      useSecureCookies: false,
      cookiePrefix: '__Host-switchboard',
      defaultCookieAttributes: { secure: true, path: '/', httpOnly: true, sameSite: 'lax' },
      database: { generateId: () => randomUUIDv7() },
    },
    databaseHooks: {
      session: {
        create: {
          /** An inactive member gets no session by any method. */
          before: async (session) => (await repository.member(session.userId))?.active === true,
        },
      },
    },
  } satisfies BetterAuthOptions;
}

export function createAuthEngine(options: AuthEngineOptions): AuthEngine {
  const auth = betterAuth({
    ...authOptions(options),
    baseURL: 'http://localhost',
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      // Password rules are in password-rules.ts.
      minPasswordLength: 1,
      maxPasswordLength: LIMITS.passwordGivenLength,
    },
  });

  return {
    async signIn(email, password) {
      try {
        return (await auth.api.signInEmail({ body: { email, password } })).token;
      } catch (error) {
        if (isRefusal(error)) return null;
        throw error;
      }
    },
    hash: async (password) => (await auth.$context).password.hash(password),
    verify: async (hash, password) => (await auth.$context).password.verify({ hash, password }),
    beginSession: async (memberId) => (await (await auth.$context).internalAdapter.createSession(memberId)).token,
  };
}

/** better-auth throws its answers; a status below 500 is not an error. */
function isRefusal(error: unknown): boolean {
  const status: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  return typeof status === 'number' && status < 500;
}
