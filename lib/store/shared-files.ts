/** A file of the extensions folder that all servers on one database have. */
export interface SharedFile {
  /** Relative to the extensions folder, with slashes. */
  readonly path: string;
  /** SHA-256 of its content, in hexadecimal; null: removed. */
  readonly hash: string | null;
  /** Increases with each change of any file. */
  readonly version: number;
  /** The server that changed it. */
  readonly instance: string;
}

export interface FileChange {
  readonly path: string;
  /** Null: it is removed. */
  readonly content: Uint8Array | null;
  readonly hash: string | null;
  /** What the change began from; null: no file. */
  readonly base: string | null;
  readonly instance: string;
}

export type FileOutcome =
  | { readonly ok: true; readonly version: number }
  /** Another server changed it first. */
  | { readonly ok: false; readonly current: SharedFile };

/** A change that came too late. Its content is kept until a person decides. */
export interface FileConflict {
  readonly id: string;
  readonly path: string;
  readonly instance: string;
  readonly savedAt: string;
  readonly servingHash: string | null;
  readonly otherHash: string | null;
}

/** The extensions folder of servers that share a database. */
export interface SharedFileRepository {
  /** In order of their versions. */
  changesAfter(version: number): Promise<SharedFile[]>;
  /** By hash; those that are there. */
  contents(hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Compares with the base and swaps. The same content again is no conflict. */
  change(change: FileChange): Promise<FileOutcome>;
  /** Keeps what came too late. False: the same content was settled or kept before. */
  keepConflict(change: Omit<FileChange, 'base'>): Promise<boolean>;
  /** Not settled, oldest first. */
  conflicts(): Promise<FileConflict[]>;
  /** `other`: its content becomes the current one, whatever that is now. False: there is no such conflict. */
  settle(id: string, keep: 'serving' | 'other', instance: string): Promise<boolean>;
  /** Contents that no file and no open conflict needs. */
  sweep(): Promise<void>;
}
