import type { Role } from '#lib/contract/roles.ts';

/** Settings of a server with accounts. */
export interface TeamSettings {
  /** Signs cookies; never logged or passed on. Null on loopback only: generated in DATA_DIR. */
  readonly secret: string | null;
  /** Public https origin; null on loopback: http, with the requested host name. */
  readonly publicUrl: string | null;
  readonly oidc: OidcSettings | null;
}

/** An identity provider. */
export interface OidcSettings {
  /** Without a trailing slash. */
  readonly issuer: string;
  readonly clientId: string;
  /** Never logged or passed on. */
  readonly clientSecret: string;
  /** Name on the button. */
  readonly name: string;
  /** Role of new users; null: only members and invited people can sign in. */
  readonly role: Role | null;
}
