/** The types of 'switchboard/testing' in an installed package, without those of the host. testing-types.test.ts compares both. */

/** Runs one extension as the server does, in a process of its own, with validation. */
export interface LoadedExtension {
  readonly id: string;
  readonly tools: readonly LoadedTool[];
  /** Its WORKSPACE_ROOT, an empty folder deleted by `close`. */
  readonly workspace: string;
  /** Returns the result as JSON; rejects with a `CallFailure`. */
  call(tool: string, args?: Readonly<Record<string, unknown>>, options?: { readonly timeoutMs?: number }): Promise<unknown>;
  /** Result of its `status()`; null without one or without a process. */
  status(): Promise<Readonly<Record<string, unknown>> | null>;
  /** Output and logs, oldest first. */
  logs(): Promise<readonly { readonly message: string }[]>;
  /** Stops its process and deletes its folders. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LoadedTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly output_schema: Readonly<Record<string, unknown>> | null;
  readonly examples: readonly unknown[];
  readonly warnings: readonly string[];
}

export interface LoadExtensionOptions {
  /** Server settings, such as EXTENSION_ALLOW, and variables for EXTENSION_ENV; override those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A failed call: `kind` as `error.kind` of the API, or `refused` if it did not start. */
export declare class CallFailure extends Error {
  readonly kind: string;
  /** The call record; null if it did not start. */
  readonly call: Readonly<Record<string, unknown>> | null;
}

/**
 * Loads the extension at `place`: its folder, its entry file, or a one-file tool or channel; a path or a `file:` URL. Rejects
 * with the failure if it does not load. The caller must close it.
 */
export declare function loadExtension(place: string | URL, options?: LoadExtensionOptions): Promise<LoadedExtension>;
