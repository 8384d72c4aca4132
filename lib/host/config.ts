import type { LogLevel } from '#lib/contract/call.ts';
import type { TeamSettings } from '#lib/accounts/accounts.ts';
import type { Durability } from '#lib/store/sqlite/database-file.ts';
import type { TracingSettings } from '#lib/tracing/open-tracing.ts';
import type { DependencyMode } from '#lib/contract/dependencies.ts';
import type { DependencySources } from '#lib/dependencies/declaration.ts';
import type { Kept, Kind } from './retention.ts';

export interface DatabaseSettings {
  /** postgres://user:password@host:port/database; never logged, never passed on. */
  readonly url: string;
  readonly connections: number;
  readonly statementMs: number;
  /** How long a start waits for a database that does not answer yet. */
  readonly startMs: number;
}

/** The environment, read once and checked. Durations in milliseconds, sizes in bytes unless named; paths absolute. */
export interface HostConfig {
  readonly port: number;
  readonly host: string;
  readonly extensionsDir: string;
  readonly dataDir: string;
  readonly workspaceRoot: string;
  /** Keys that encrypt the secrets, newest first; empty: a file in `dataDir`. Never logged, never passed on. */
  readonly secretsKeys: readonly string[];
  /** Null: no accounts; one user, on this machine. */
  readonly team: TeamSettings | null;
  /** Addresses and networks of proxies trusted to report the client's address. */
  readonly trustedProxies: readonly string[];
  /** Never logged, never passed on. */
  readonly adminToken: string | null;
  /** Lower case; always contains `example`. */
  readonly excludedExtensions: ReadonlySet<string>;
  readonly excludedTools: ReadonlySet<string>;
  readonly keepLastGood: boolean;
  /** Extensions are read-only in the dashboard and the API. */
  readonly readOnlyExtensions: boolean;
  /** Agents can write extensions through `/mcp`. */
  readonly mcpAuthoring: boolean;
  /** Names or `PREFIX_*`; `*` means everything except the host's own variables. */
  readonly extensionEnv: readonly string[];
  /** Whether declared dependencies of extensions are installed when a load needs them, when a person asks, or never. */
  readonly dependencies: DependencyMode;
  readonly dependencySources: DependencySources;
  readonly extensionAllow: readonly ExtensionPermission[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly watch: 'native' | 'polling' | 'off';
  readonly callTimeoutMs: number;
  readonly loadTimeoutMs: number;
  readonly maxResultBytes: number;
  readonly extensionMemoryMb: number;
  /** How long the process of an extension runs without calls; 0: forever. */
  readonly extensionIdleMs: number;
  readonly durability: Durability;
  /** How long requests are still served after SIGTERM, while `/readyz` returns 503. */
  readonly drainSeconds: number;
  /** Id of this server among those on its database; null: generated. */
  readonly instanceId: string | null;
  /** PostgreSQL; null: a file of SQLite in `dataDir`. */
  readonly database: DatabaseSettings | null;
  readonly kept: Readonly<Record<Kind, Kept>>;
  /** The Python interpreter of extensions without a `.venv`: a name on PATH, or an absolute path. */
  readonly python: string;
  /** Never logged, never passed on; null: no `telegram` channel. */
  readonly telegramToken: string | null;
  readonly telegramApiRoot: string;
  readonly logLevel: LogLevel;
  /** `auto`: plain lines on a terminal, JSON elsewhere. */
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** Per address; null for no limit. */
  readonly callRate: RequestRate | null;
  readonly writeRate: RequestRate | null;
  /** Concurrent calls and writes per address; 0 for no limit. */
  readonly concurrentRequests: number;
  /** Null: tracing is off. */
  readonly tracing: TracingSettings | null;
  readonly dev: boolean;
}

/** Requests per period, and the largest burst. */
export interface RequestRate {
  readonly count: number;
  readonly perMs: number;
}

export const PERMISSIONS = ['net', 'read', 'write', 'run', 'addons', 'workers', 'all'] as const;
type Permission = (typeof PERMISSIONS)[number];

/** One `id:permission` pair of EXTENSION_ALLOW; `*` means every extension. */
export interface ExtensionPermission {
  readonly extension: string;
  readonly permission: Permission;
}

/** The permissions of one extension, with `all` expanded. */
export function permissionsOf(extension: string, pairs: readonly ExtensionPermission[]): readonly Exclude<Permission, 'all'>[] {
  const granted = new Set(pairs.filter((pair) => pair.extension === '*' || pair.extension === extension).map((pair) => pair.permission));
  const every = PERMISSIONS.filter((permission): permission is Exclude<Permission, 'all'> => permission !== 'all');
  return granted.has('all') ? every : every.filter((permission) => granted.has(permission));
}
