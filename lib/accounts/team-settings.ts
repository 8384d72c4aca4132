import type { Role } from '#lib/contract/roles.ts';

/** What the environment says of a server with accounts. */
export interface TeamSettings {
  /** By which cookies are signed; never logged, never passed on. Null, on loopback alone: one is made and kept in DATA_DIR. */
  readonly secret: string | null;
  /** The https origin at which people reach this server; null on loopback: http, by the name in the address bar. */
  readonly publicUrl: string | null;
  readonly oidc: OidcSettings | null;
}

/** A provider of identities. */
export interface OidcSettings {
  /** Without a slash at its end. */
  readonly issuer: string;
  readonly clientId: string;
  /** Never logged, never passed on. */
  readonly clientSecret: string;
  /** As people call it: the words of the button. */
  readonly name: string;
  /** Of who comes for the first time; null: only who was invited, or is a member already, comes in. */
  readonly role: Role | null;
}
