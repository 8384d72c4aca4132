import type { OAuthRepository } from '#lib/store/account-store.ts';

/** A repository with only these methods; others throw. */
export function oauthRepository(used: Partial<OAuthRepository> = {}): OAuthRepository {
  const unexpected = (): never => {
    throw new Error('This method of the OAuth repository is not expected here');
  };
  return {
    insertClient: unexpected,
    client: unexpected,
    insertGrant: unexpected,
    exchange: unexpected,
    grant: unexpected,
    grants: unexpected,
    revoke: unexpected,
    noteUse: unexpected,
    sweep: unexpected,
    find: unexpected,
    ...used,
  };
}
