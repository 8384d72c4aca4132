/** A file of the extensions folder that all servers on one database have. */
export interface SharedFile {
  /** Relative to the extensions folder, with slashes. */
  readonly path: string;
  /** SHA-256 of its content, in hexadecimal; null: removed. */
  readonly hash: string | null;
  /** Increases with each change of any file. */
  readonly version: number;
}

export interface FileChange {
  readonly path: string;
  /** Null: it is removed. */
  readonly content: Uint8Array | null;
  readonly hash: string | null;
  /** The hash that the change began from; null: no file. */
  readonly base: string | null;
  /** The server on which it was saved. */
  readonly instance: string;
  /** The person who saved it in the browser, or an agent; null: unknown, such as for an editor. */
  readonly actor: string | null;
}

export type FileOutcome =
  | { readonly ok: true; readonly version: number }
  /** Another server changed it first. */
  | { readonly ok: false; readonly current: SharedFile };

/** One of two saves of a file. */
export interface FileSave {
  /** Null: the file was removed. */
  readonly hash: string | null;
  readonly instance: string;
  readonly actor: string | null;
  readonly savedAt: string;
}

/** Two saves that began from one version. The later one is stored until a person chooses. */
export interface FileConflict {
  readonly id: string;
  readonly path: string;
  readonly serving: FileSave;
  readonly other: FileSave;
}

/** The extensions folder of servers that share a database. */
export interface SharedFileRepository {
  /** In order of their versions. */
  changesAfter(version: number): Promise<SharedFile[]>;
  /** Existing contents by hash. */
  contents(hashes: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Compares with the base and swaps. The same content again is no conflict, nor is a save of a file that others removed. */
  change(change: FileChange): Promise<FileOutcome>;
  /** Stores a refused change as a conflict. False: one with this content is open. */
  addConflict(change: Omit<FileChange, 'base'>): Promise<boolean>;
  /** Open conflicts, oldest first. */
  conflicts(): Promise<FileConflict[]>;
  /** `other`: its content replaces the current one. False: there is no such conflict. */
  settle(id: string, keep: 'serving' | 'other', by: Pick<FileChange, 'instance' | 'actor'>): Promise<boolean>;
  /** Removes contents that no file and no open conflict needs. */
  sweep(): Promise<void>;
}
