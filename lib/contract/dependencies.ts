import * as z from 'zod';

export const DEPENDENCY_MODES = ['auto', 'ask', 'off'] as const;
export type DependencyMode = (typeof DEPENDENCY_MODES)[number];

const packageSchema = z.object({ name: z.string(), version: z.string() });

export const INSTALL_STATES = ['waiting', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** An install of one set of dependencies; extensions with the same set share it. */
export const dependencyInstallSchema = z.object({
  state: z.enum(INSTALL_STATES),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  /** Started by mode `auto`, without a request. */
  automatic: z.boolean(),
  /** The person who requested it, with accounts. */
  actor: z.string().nullable(),
  /** The newest lines that the installer printed. */
  output: z.array(z.string()),
  output_truncated: z.boolean(),
  /** Why it failed, and what to do. */
  failure: z.object({ message: z.string(), hint: z.string() }).nullable(),
});
export type DependencyInstall = z.infer<typeof dependencyInstallSchema>;

export const extensionDependenciesSchema = z.object({
  extension: z.string(),
  mode: z.enum(DEPENDENCY_MODES),
  /**
   * `none`: nothing is declared. `own`: `.venv` or `node_modules` in its folder is used. `invalid`: the declaration is refused;
   * the failure of the extension says why.
   */
  state: z.enum(['none', 'own', 'ready', 'missing', 'installing', 'failed', 'invalid']),
  ecosystem: z.enum(['python', 'node']).nullable(),
  /** The declaring file, relative to the extensions folder. */
  declared_in: z.string().nullable(),
  requires_python: z.string().nullable(),
  requirements: z.array(z.object({ name: z.string(), requirement: z.string() })),
  /** Exact versions that an install brings, where a lock names them. */
  locked: z.array(packageSchema).nullable(),
  /** The installed packages; null while none are. */
  environment: z
    .object({
      id: z.string(),
      installer: z.string(),
      made_at: z.iso.datetime(),
      packages: z.array(packageSchema),
      size_bytes: z.number().int(),
    })
    .nullable(),
  /** A package that an import did not find and nothing declares: the file and the line that would declare it. */
  undeclared: z.object({ package: z.string(), file: z.string(), line: z.string() }).nullable(),
  /** An agent asked for the install; a person decides. */
  requested: z.object({ actor: z.string().nullable(), at: z.iso.datetime() }).nullable(),
  /** The current install, or the last one since the server started. */
  install: dependencyInstallSchema.nullable(),
});
export type ExtensionDependencies = z.infer<typeof extensionDependenciesSchema>;

/** Preview of an install. */
export const installPreviewSchema = z.object({
  /** Null when only an install can resolve them, or nothing can. */
  packages: z
    .array(
      packageSchema.extend({
        /** Null when the index does not say. */
        download_bytes: z.number().int().nullable(),
      }),
    )
    .nullable(),
  /** Why versions cannot be resolved, and what to do. */
  failure: z.object({ message: z.string(), hint: z.string() }).nullable(),
});
export type InstallPreview = z.infer<typeof installPreviewSchema>;

/** The undeclared package to add to the declaration. */
export const declareRequestSchema = z.strictObject({ package: z.string().min(1).max(214) });

/** `update`: resolve versions again, instead of installing the ones of the last install. */
export const installRequestSchema = z.strictObject({ update: z.boolean().default(false) });
