/**
 * Import rules: all modules and what each may import. A file belongs to the first module whose pattern it matches. `types`
 * means `import type` only. Packages are listed individually, so a new dependency is visible in review (zod is allowed
 * everywhere); `node:` modules need `node: true`. `*` allows all packages.
 */
export interface Module {
  readonly name: string;
  readonly files: RegExp;
  /** Modules that may be imported; ` (types)` allows `import type` only. */
  readonly modules: readonly string[];
  readonly packages: readonly string[];
  readonly node: boolean;
  /** Files started by something other than an import: the program, Next, a user, a child process. */
  readonly entries?: RegExp;
}

const PAGE_FILES =
  /\/(page|layout|route|loading|error|global-error|not-found|template|default|icon|manifest|robots)\.(ts|tsx)$|\/fonts\/woff2\.d\.ts$/;
const PAGE_PACKAGES = [
  'react',
  'react-dom',
  'next',
  'nuqs',
  '@tanstack/react-query',
  'lucide-react',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
];
const FEATURE_PACKAGES = [...PAGE_PACKAGES, '@tanstack/react-table', '@tanstack/react-virtual', 'clsx', 'ajv', 'ajv-formats', 'shiki'];

/** Editor styling. */
const EDITOR_LOOK_PACKAGES = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/language',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
];

/** Source editor. */
const EDITOR_PACKAGES = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-javascript',
  '@codemirror/lang-json',
  '@codemirror/lang-python',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/view',
];

/** JSON argument editor. */
const JSON_EDITOR_PACKAGES = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/state',
  '@codemirror/view',
  'jsonc-parser',
];
const UI_PACKAGES = [
  ...EDITOR_LOOK_PACKAGES,
  'nuqs',
  'react',
  'react-dom',
  'next',
  'radix-ui',
  'class-variance-authority',
  'clsx',
  'lucide-react',
  'sonner',
  'tailwind-merge',
  'shiki',
  'diff',
  'marked',
  '@tanstack/react-virtual',
];
const FURTHER_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // The bridge of MCP Apps, which loads only with an app.
  playground: ['@modelcontextprotocol/ext-apps'],
  extensions: EDITOR_PACKAGES,
  'tool-form': JSON_EDITOR_PACKAGES,
  // The palette, which loads when first opened.
  shell: ['cmdk', 'radix-ui'],
};
const FEATURES = [
  'overview',
  'extensions',
  'tools',
  'tool-form',
  'calls',
  'playground',
  'failures',
  'channels',
  'timeline',
  'accounts',
  'settings',
  'shell',
];
/** The playground is made of three other features; contents of MCP servers are shown like results. No other feature imports one. */
const FEATURE_PARTS: Readonly<Record<string, readonly string[]>> = { playground: ['tools', 'tool-form', 'calls'], extensions: ['calls'] };

const tests: Module = {
  name: 'tests',
  files:
    /(\.test\.tsx?$|\/[a-z]+-contract(-[a-z]+)*\.ts$|-(harness|for-tests)\.tsx?$|^lib\/testing\/|^e2e\/|^bench\/|\/fixtures\/|^docs\/samples\/)/,
  modules: ['*'],
  packages: ['*'],
  node: true,
};

const configs: Module = {
  name: 'configs',
  files: /^[^/]+\.(config|setup)\.(ts|mjs)$/,
  modules: ['bin'],
  packages: ['*'],
  node: true,
  entries: /./,
};

const host: readonly Module[] = [
  { name: 'contract', files: /^lib\/contract\//, modules: [], packages: [], node: false, entries: /\/extension-api\.ts$/ },
  { name: 'servers', files: /^lib\/servers\//, modules: ['contract'], packages: ['jsonc-parser', 'smol-toml', 'yaml'], node: false },
  { name: 'secrets', files: /^lib\/secrets\//, modules: [], packages: [], node: true },
  { name: 'network', files: /^lib\/network\//, modules: [], packages: [], node: true },
  { name: 'memory', files: /^lib\/memory\//, modules: [], packages: [], node: false },
  { name: 'access', files: /^lib\/access\//, modules: ['contract'], packages: [], node: false },
  { name: 'schema', files: /^lib\/schema\//, modules: ['contract'], packages: ['ajv', 'ajv-formats', 'oxc-parser'], node: false },
  {
    name: 'loader',
    files: /^lib\/loader\//,
    modules: ['contract', 'schema', 'runtime', 'registry', 'store (types)'],
    packages: ['chokidar', 'esbuild', 'jsonc-parser', 'oxc-parser'],
    node: true,
  },
  {
    name: 'runtime',
    files: /^lib\/runtime\//,
    modules: ['contract', 'memory'],
    packages: ['@modelcontextprotocol/client', 'ajv', 'ajv-formats', 'esbuild'],
    node: true,
    entries: /^lib\/runtime\/children\/(boot|main|author-module|guard|server-main)\.ts$/,
  },
  {
    name: 'dependencies',
    files: /^lib\/dependencies\//,
    modules: ['contract', 'loader', 'runtime (types)', 'store'],
    packages: ['semver', 'smol-toml'],
    node: true,
  },
  { name: 'registry', files: /^lib\/registry\//, modules: ['contract'], packages: [], node: true },
  {
    name: 'instances',
    files: /^lib\/instances\//,
    modules: ['contract', 'registry', 'store (types)'],
    packages: [],
    node: true,
  },
  {
    name: 'calls',
    files: /^lib\/calls\//,
    modules: ['contract', 'memory', 'registry', 'instances', 'runtime (types)', 'store (types)'],
    packages: ['uuid'],
    node: true,
  },
  {
    name: 'probe',
    files: /^lib\/probe\//,
    modules: ['contract', 'runtime'],
    packages: ['fast-check'],
    node: true,
    entries: /\/probe-worker\.ts$/,
  },
  { name: 'failures', files: /^lib\/failures\//, modules: ['contract', 'store (types)'], packages: ['diff'], node: true },
  {
    name: 'channels',
    files: /^lib\/channels\//,
    modules: ['contract', 'registry', 'instances', 'runtime (types)', 'store (types)'],
    packages: ['grammy'],
    node: true,
  },
  { name: 'store', files: /^lib\/store\//, modules: ['contract', 'memory'], packages: ['kysely', 'pg', 'uuid'], node: true },
  {
    name: 'accounts',
    files: /^lib\/accounts\//,
    modules: ['contract', 'access', 'network', 'store'],
    packages: ['better-auth', 'kysely'],
    node: true,
  },
  {
    name: 'server auth',
    files: /^lib\/server-auth\//,
    modules: ['contract', 'network', 'secrets (types)', 'store (types)'],
    packages: ['@modelcontextprotocol/client'],
    node: true,
  },
  {
    name: 'tracing',
    files: /^lib\/tracing\//,
    modules: ['contract'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/otlp-exporter-base',
      '@opentelemetry/otlp-transformer',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace',
    ],
    node: true,
  },
  { name: 'current-host', files: /^lib\/host\/current-host\.ts$/, modules: ['access (types)', 'host (types)'], packages: [], node: true },
  {
    name: 'host',
    files: /^lib\/host\//,
    modules: [
      'contract',
      'schema',
      'loader',
      'dependencies',
      'runtime',
      'registry',
      'instances',
      'calls',
      'failures',
      'channels',
      'store',
      'accounts',
      'secrets',
      'server auth',
      'servers',
      'probe',
      'tracing (types)',
    ],
    packages: ['pino', 'prom-client'],
    node: true,
  },
  {
    name: 'author tests',
    files: /^lib\/author-tests\//,
    modules: ['contract', 'host', 'loader', 'runtime'],
    packages: [],
    node: true,
    entries: /\/(load-extension|resolve-author-modules)\.ts$/,
  },
  {
    name: 'mcp',
    files: /^lib\/mcp\//,
    modules: ['contract', 'memory', 'host'],
    packages: ['@modelcontextprotocol/server', 'minisearch'],
    node: true,
  },
  {
    name: 'api',
    files: /^lib\/api\//,
    modules: ['contract', 'memory', 'access', 'accounts (types)', 'host (types)', 'current-host'],
    packages: ['@hono/node-server', 'hono', 'marked', 'next', 'prom-client'],
    node: true,
  },
  {
    name: 'server',
    files: /^server\.ts$/,
    modules: ['contract', 'host', 'current-host', 'mcp', 'api', 'tracing'],
    packages: [],
    node: true,
    entries: /./,
  },
  {
    name: 'package',
    files: /^bin\/package\//,
    modules: ['bin', 'runtime'],
    packages: ['esbuild'],
    node: true,
    entries: /\/(build-package|shipped-child-program|testing-types)\.ts$/,
  },
  {
    name: 'bin',
    files: /^bin\//,
    modules: ['host', 'contract', 'schema', 'store', 'accounts', 'author tests', 'probe'],
    packages: ['esbuild', 'eventsource-parser', 'oxc-parser'],
    node: true,
    entries: /^bin\/([^/]+\.mjs|check\/check-(imports|words)\.ts|.+\.d\.mts)$/,
  },
  {
    name: 'shipped',
    files: /^extensions\//,
    modules: ['contract (types)'],
    packages: ['switchboard', 'shlex'],
    node: true,
    entries: /^extensions\/([^/]+\/extension|(tools|channels)\/[A-Za-z][^/.]*)\.(ts|mts|js|mjs)$/,
  },
];

const pages: readonly Module[] = [
  {
    name: 'next start',
    files: /^instrumentation\.ts$/,
    modules: ['bin (types)', 'current-host', 'server (types)'],
    packages: [],
    node: true,
    entries: /./,
  },
  { name: 'browser start', files: /^instrumentation-client\.ts$/, modules: [], packages: [], node: false, entries: /./ },
  { name: 'client', files: /^lib\/client\//, modules: ['contract'], packages: ['react', '@tanstack/react-query'], node: false },
  {
    name: 'ui',
    files: /^components\/ui\//,
    modules: [],
    packages: UI_PACKAGES,
    node: false,
    // Imported by compiled JSX.
    entries: /\/jsx-(dev-)?runtime\.ts$/,
  },
  ...FEATURES.map((name) => ({
    name: `components/${name}`,
    files: new RegExp(`^components/${name}/`),
    modules: ['contract', 'client', 'ui', ...(FEATURE_PARTS[name] ?? []).map((part) => `components/${part}`)],
    packages: [...FEATURE_PACKAGES, ...(FURTHER_PACKAGES[name] ?? [])],
    node: false,
  })),
  {
    name: 'pages',
    files: /^app\//,
    modules: ['contract', 'current-host', 'client', 'ui', ...FEATURES.map((name) => `components/${name}`)],
    packages: PAGE_PACKAGES,
    node: false,
    entries: PAGE_FILES,
  },
];

/** Allowed in every module. */
export const PACKAGES_FOR_ALL: readonly string[] = ['zod'];

export const MODULES: readonly Module[] = [tests, configs, ...host, ...pages];

/** Generic names, and files that hide where an export comes from. */
export const NAMES_REFUSED = /(^|\/)(index|utils?|helpers?|misc|common|shared|.*-manager|manager)\.(ts|tsx|mjs)$/;
export const FILES_CHECKED = /\.(ts|tsx|mts|mjs|js)$/;
export const TOP_FOLDERS = ['app', 'bench', 'bin', 'components', 'docs', 'e2e', 'extensions', 'lib'];
