import * as z from 'zod';
import type { Artifact, ExtensionDescription, RawFailure } from '#lib/runtime/runtime.ts';
import { type ExtensionRuntime, KEPT_REASONS } from '#lib/contract/extension.ts';
import { iconSchema } from '#lib/contract/mcp-content.ts';
import { serverFeaturesSchema } from '#lib/contract/server-features.ts';
import { annotationsSchema, jsonSchemaSchema } from '#lib/contract/tool.ts';
import type { SourceRead } from './source-reader.ts';

/** A file or folder that may be an extension; found by the scanner, not loaded yet. Paths absolute. */
export interface Candidate {
  readonly id: string;
  readonly kind: Artifact['kind'];
  readonly runtime: Artifact['runtime'];
  readonly folder: string;
  readonly entryFile: string;
}

/** An input file of a build, with the metadata that shows a change without reading it: size, and times in ns. */
export interface BuildInput {
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

/** The environment with the dependencies that an extension declares. */
export interface BuildEnvironments {
  /** @param read reads the declaring files, which become sources of the build */
  find(candidate: Candidate, read: (file: string) => Promise<SourceRead>): Promise<FoundEnvironment>;
  /** The failure with a hint that names the package to declare, if one is missing. */
  hint(candidate: Candidate, failure: RawFailure): Promise<RawFailure>;
}

export interface FoundEnvironment {
  /** Null: no dependencies are declared, or they are missing. `packages`: null if Switchboard did not install the environment. */
  readonly environment: { readonly folder: string; readonly packages: Readonly<Record<string, string>> | null } | null;
  /** Part of the content hash: equal sources with another environment are another revision. */
  readonly salt: string;
  /** Absolute paths of missing files that would change it if they appeared. */
  readonly missing: readonly string[];
  /** Why the extension cannot be loaded; its sources are still read. */
  readonly failure: RawFailure | null;
}

export type BuildOutcome =
  | {
      readonly ok: true;
      readonly artifact: Artifact;
      /** Its program was not in the folder: this server never loaded it, although another one may have. */
      readonly isNew: boolean;
      /** Every source file of the build (helpers and the folder's `.env` included, packages excluded). */
      readonly inputs: readonly BuildInput[];
      /** Path relative to the extensions folder → text; `.env` is hashed but never stored. */
      readonly sources: Readonly<Record<string, string>>;
      /**
       * Absolute paths of missing files that would change the build if they appeared (the folder's `.env`, optional
       * imports).
       */
      readonly missing: readonly string[];
      /** Its third-party imports: package folders for Node, module names for Python. */
      readonly uses: readonly string[];
      /** Installed packages of its environment, by name; null without one. */
      readonly packages: Readonly<Record<string, string>> | null;
    }
  | {
      readonly ok: false;
      readonly failure: RawFailure;
      /** Hash over the readable sources, so that a failed version has a revision too. */
      readonly contentHash: string;
      readonly inputs: readonly BuildInput[];
      readonly sources: Readonly<Record<string, string>>;
      /** Absolute paths that were not found; when one appears, the build is retried. */
      readonly missing: readonly string[];
    };

/** Absolute folders of a builder; source paths are relative to the first, and it owns the second: `<content hash>/<program file>`. */
export interface BuilderOptions {
  readonly extensionsDir: string;
  readonly artifactsDir: string;
  readonly environments?: BuildEnvironments | undefined;
}

export function artifactOf(
  { id, kind, runtime, folder, entryFile }: Candidate,
  built: Pick<Artifact, 'contentHash' | 'programFile' | 'secrets'>,
  found: FoundEnvironment | null | undefined,
): Artifact {
  return { extension: id, kind, runtime, folder, entryFile, ...built, environment: found?.environment?.folder };
}

export interface Builder {
  /** @param stored texts of an earlier revision by relative path, in place of the files */
  build(candidate: Candidate, stored?: Readonly<Record<string, string>>): Promise<BuildOutcome>;
  /** Improves the hint of a failure at run time, about a package that is missing. */
  hint?(candidate: Candidate, failure: RawFailure): Promise<RawFailure>;
  /**
   * Whether a recorded program is in this builder's folder. Otherwise it was built for a data folder elsewhere (this
   * one is a copy), refers to files there, and must be built again.
   */
  isOwn(programFile: string): boolean;
  close(): Promise<void>;
}

/** Installed versions of a build's dependencies, by name; missing and built-in ones are omitted. Never rejects. */
export type PackagesOf = (candidate: Candidate, uses: readonly string[]) => Promise<Readonly<Record<string, string>>>;

/** One builder for all languages; delegates each candidate to the builder of its language. Owns them. */
export function createBuilders(builders: Readonly<Partial<Record<ExtensionRuntime, Builder>>>): Builder {
  return {
    build(candidate, stored) {
      const builder = builders[candidate.runtime];
      if (builder === undefined) throw new Error(`No builder makes extensions that run in ${candidate.runtime}: "${candidate.id}".`);
      return builder.build(candidate, stored);
    },
    hint: async (candidate, failure) => (await builders[candidate.runtime]?.hint?.(candidate, failure)) ?? failure,
    isOwn: (programFile) => Object.values(builders).some((builder) => builder.isOwn(programFile)),
    async close() {
      await Promise.all(Object.values(builders).map((builder) => builder.close()));
    },
  };
}

/**
 * Stored with a revision so that the next start can trust it without a build: its input files, its program and its
 * description. When the format of a description changes, or the same source is described differently, FORMAT is increased and
 * everything is loaded again.
 */
const FORMAT = 4;

const buildRecordSchema = z.object({
  format: z.literal(FORMAT),
  programFile: z.string(),
  /** The extensions folder of the server that built it; null in older records. */
  root: z.string().nullable().default(null),
  /** Names of the secrets it uses; absent in older records. */
  secrets: z.array(z.string()).default([]),
  missing: z.array(z.string()),
  /** Inputs that its process loaded at run time, and the content hash without them; absent in older records. */
  loaded: z.object({ paths: z.array(z.string()), builtHash: z.string().nullable() }).default({ paths: [], builtHash: null }),
  /** The packages it imports, and their versions when it was tried; null in older records. */
  uses: z.array(z.string()).nullable().default(null),
  packages: z.record(z.string(), z.string()).nullable().default(null),
  /** Folder with its installed dependencies; null without one. */
  environment: z.string().nullable().default(null),
  inputs: z.array(z.object({ path: z.string(), size: z.number(), mtimeNs: z.string(), ctimeNs: z.string(), ino: z.string() })),
});
export type BuildRecord = z.infer<typeof buildRecordSchema>;

const descriptionSchema = z.object({
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  hasStatus: z.boolean(),
  channel: z
    .object({ send: z.enum(['message', 'answer']) })
    .nullable()
    .default(null),
  /** Absent in older records. */
  kept: z.enum(KEPT_REASONS).nullable().optional(),
  features: serverFeaturesSchema.optional(),
  icons: z.array(iconSchema).optional(),
  warnings: z.array(z.string()),
  tools: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      description: z.string(),
      parameters: jsonSchemaSchema,
      outputSchema: jsonSchemaSchema.nullable(),
      annotations: annotationsSchema,
      meta: z.record(z.string(), z.unknown()).optional(),
      icons: z.array(iconSchema).optional(),
      isTask: z.boolean().optional(),
      remoteName: z.string().optional(),
      timeoutMs: z.number().nullable(),
      examples: z.array(z.unknown()),
      warnings: z.array(z.string()),
    }),
  ),
});

export function writeBuildRecord(record: Omit<BuildRecord, 'format'>): string {
  return JSON.stringify({ format: FORMAT, ...record });
}

export function readBuildRecord(text: string | null): BuildRecord | null {
  return readAs(buildRecordSchema, text);
}

export function readDescription(text: string | null): ExtensionDescription | null {
  return readAs(descriptionSchema, text);
}

function readAs<Value>(schema: z.ZodType<Value>, text: string | null): Value | null {
  if (text === null) return null;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
