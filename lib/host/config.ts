import type { Kept, Kind } from './retention.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import type { TeamSettings } from '#lib/accounts/team-settings.ts';
import type { Durability } from '#lib/store/database-file.ts';
import type { TracingSettings } from '#lib/tracing/open-tracing.ts';
import type { ExtensionPermission } from './permissions.ts';

/** The environment, read once and checked. Durations in milliseconds, sizes in bytes unless named; paths absolute. */
export interface HostConfig {
  readonly port: number;
  readonly host: string;
  readonly extensionsDir: string;
  readonly dataDir: string;
  readonly workspaceRoot: string;
  /** Null: there are no accounts; one user, on this machine. */
  readonly team: TeamSettings | null;
  /** Addresses and networks whose word for the address of a client is taken. */
  readonly trustedProxies: readonly string[];
  /** Never logged, never passed on. */
  readonly adminToken: string | null;
  /** Lower case; `example` is always among them. */
  readonly excludedExtensions: ReadonlySet<string>;
  readonly excludedTools: ReadonlySet<string>;
  readonly keepLastGood: boolean;
  /** Extensions are not edited here. */
  readonly readOnlyExtensions: boolean;
  /** Agents may write extensions by `/mcp`. */
  readonly mcpAuthoring: boolean;
  /** Names or `PREFIX_*`; `*` is all but the host's own. */
  readonly extensionEnv: readonly string[];
  readonly extensionAllow: readonly ExtensionPermission[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly watch: 'native' | 'polling' | 'off';
  readonly callTimeoutMs: number;
  readonly loadTimeoutMs: number;
  readonly maxResultBytes: number;
  readonly extensionMemoryMb: number;
  /** How long requests are still served after SIGTERM, while `/readyz` says 503. */
  readonly durability: Durability;
  readonly drainSeconds: number;
  readonly kept: Readonly<Record<Kind, Kept>>;
  /** The Python of extensions without a `.venv`: a name to be found on PATH, or an absolute path. */
  readonly python: string;
  /** Never logged, never passed on; null: there is no channel `telegram`. */
  readonly telegramToken: string | null;
  readonly telegramApiRoot: string;
  readonly logLevel: LogLevel;
  /** `auto`: lines for people on a terminal, JSON elsewhere. */
  readonly logFormat: 'auto' | 'json' | 'pretty';
  /** Of one address; null for no limit. */
  readonly callRate: RequestRate | null;
  readonly writeRate: RequestRate | null;
  /** Calls and writes of one address that are under way; 0 for no limit. */
  readonly concurrentRequests: number;
  /** Null: nobody collects spans. */
  readonly tracing: TracingSettings | null;
  readonly dev: boolean;
}

/** So many requests in so long, and at most as many at once. */
export interface RequestRate {
  readonly count: number;
  readonly perMs: number;
}
