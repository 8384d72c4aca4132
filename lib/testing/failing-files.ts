import type { FailureCode } from '#lib/contract/failure-codes.ts';
import type { Failure } from '#lib/contract/failure.ts';

const tool = (parts: string): string =>
  `export const TOOL = {\n  label: 'Test',\n  name: 'a_tool',\n  description: 'Does a thing.',\n  parameters: {},\n  execute() { return 1; },\n${parts}};\n`;

/** Files that do not load, with their expected failures. */
export interface Provocation {
  readonly code: FailureCode;
  readonly what: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly expected: Partial<Pick<Failure, 'file' | 'line' | 'column' | 'stage'>>;
  readonly says: RegExp;
}

export const PROVOCATIONS: readonly Provocation[] = [
  {
    code: 'entry_missing',
    what: 'code beside no entry',
    files: { 'x/index.ts': '' },
    expected: { file: 'x', line: null },
    says: /index\.ts/,
  },
  {
    code: 'entry_ambiguous',
    what: 'two entries',
    files: { 'x/extension.ts': '', 'x/extension.js': '' },
    expected: { file: 'x' },
    says: /extension\.js, extension\.ts/,
  },
  { code: 'name_invalid', what: 'a name with a space', files: { 'x y/extension.ts': '' }, expected: { file: 'x y' }, says: /a letter/ },
  {
    code: 'unreadable',
    what: 'an entry that is a folder',
    files: { 'x/extension.ts/file.txt': '' },
    expected: { file: 'x/extension.ts' },
    says: /folder/,
  },
  {
    code: 'unreadable',
    what: 'an entry that is not UTF-8',
    files: { 'x/extension.ts': Buffer.from(`// plain\nexport const NAME = 'Caf\u00e9';\nexport const TOOL = 1;`, 'latin1') },
    expected: { file: 'x/extension.ts', line: 2, column: 25 },
    says: /not UTF-8: byte 33 \(0xE9\), at line 2, column 25.* Windows-1252 .*Save the file as UTF-8/,
  },
  {
    code: 'unreadable',
    what: 'a JSON file that is UTF-16',
    files: {
      'x/extension.ts': `import names from './_names.json';\nexport const TOOL = names;`,
      'x/_names.json': Buffer.from('\uFEFF{"a": "é"}', 'utf16le'),
    },
    expected: { file: 'x/_names.json', line: 1, column: 1 },
    says: /_names\.json is encoded as UTF-16 \(little-endian\)/,
  },
  {
    code: 'unreadable',
    what: 'a file of types alone that is not UTF-8',
    files: {
      'tools/sized.ts': `import type { Size } from './_sizes.ts';\nexport function run(size: Size) { return size; }`,
      'tools/_sizes.ts': Buffer.from(`export type Size = 'gro\u00df' | 'klein';`, 'latin1'),
    },
    expected: { file: 'tools/_sizes.ts', line: 1, column: 24 },
    says: /_sizes\.ts is not UTF-8/,
  },
  {
    code: 'syntax_error',
    what: 'a bracket too few',
    files: { 'x/extension.ts': 'const fine = 1;\nexport const TOOL = { label: "a";' },
    expected: { file: 'x/extension.ts', line: 2, column: 33 },
    says: /./,
  },
  {
    code: 'import_unresolved',
    what: 'a helper that is not there',
    files: { 'x/extension.ts': `\nimport { a } from './helpr.ts';\nexport const TOOL = a;` },
    expected: { file: 'x/extension.ts', line: 2, column: 19 },
    says: /helpr\.ts/,
  },
  ...(
    [
      ['a helper', './_Formats', '_formats.ts', 'export const a = 1;'],
      ['a helper in JavaScript', './Old.js', 'old.js', 'module.exports = {};'],
      ['JSON', './Data.json', 'data.json', '{}'],
      ['an add-on', './Addon.node', 'addon.node', ''],
      ['a text', './Words.txt', 'words.txt', 'word'],
      ['a folder', './Lib/parts', 'lib/parts.ts', 'export const a = 1;'],
    ] as const
  ).map(([what, specifier, name, text]): Provocation => ({
    code: 'import_unresolved',
    what: `${what} whose name is written in another case`,
    files: {
      'x/extension.ts': `\nimport a from '${specifier}'${name.endsWith('.txt') ? ` with { type: 'text' }` : ''};\nexport const TOOL = a;`,
      [`x/${name}`]: text,
    },
    expected: { file: 'x/extension.ts', line: 2, column: 15 },
    says: new RegExp(`"x/${name}" differs in upper and lower case\\. Write "\\./${name}"`),
  })),
  ...['./_words.ts', '../_lib/words.ts', '../../words.ts', './_words'].map((specifier): Provocation => ({
    code: 'import_unresolved',
    what: `${specifier}, a path made at run time`,
    files: {
      'x/extension.ts': `const name = ['${specifier}'].join('');\nexport const TOOL = await import(name);`,
      'x/_words.ts': 'export const a = 1;',
    },
    expected: { file: 'x/extension.ts', line: null },
    says: new RegExp(`^Cannot find "${specifier.replaceAll('.', '\\.')}": a path that is made before its`),
  })),
  {
    code: 'import_unresolved',
    what: 'types alone, of a file whose name is written in another case',
    files: {
      'tools/sized.ts': `import type { Size } from './_Sizes.ts';\nexport function run(size: Size) { return size; }`,
      'tools/_sizes.ts': `export type Size = 'large' | 'small';`,
    },
    expected: { file: 'tools/sized.ts', line: 1 },
    says: /"tools\/_sizes\.ts" differs in upper and lower case/,
  },
  {
    code: 'import_unresolved',
    what: 'a package that is not installed',
    files: { 'x/extension.ts': `import a from 'not-installed-anywhere';\nexport const TOOL = a;` },
    expected: { file: 'x/extension.ts', line: 1, column: 15 },
    says: /not-installed-anywhere/,
  },
  {
    code: 'import_unresolved',
    what: 'a name that a package does not export',
    files: {
      'x/extension.ts': `import './help.ts';\nexport const TOOL = 1;`,
      'x/help.ts': `import {\n  missing,\n} from 'small';\nexport const other = missing;`,
      'x/node_modules/small/package.json': '{"name":"small","type":"module","main":"index.js"}',
      'x/node_modules/small/index.js': 'export const there = 1;',
    },
    expected: { file: 'x/help.ts', line: 2, column: 3 },
    says: /named 'missing'/,
  },
  {
    code: 'import_unresolved',
    what: 'a name that a helper does not export',
    files: {
      'x/extension.ts': `import { missing } from './help.ts';\nexport const TOOL = missing;`,
      'x/help.ts': 'export const other = 1;',
    },
    expected: { file: 'x/extension.ts', line: 1, column: 10 },
    says: /missing/,
  },
  {
    code: 'import_error',
    what: 'a throw in a helper at import',
    files: {
      'x/extension.ts': `import { port } from './settings.ts';\nexport const TOOL = port;`,
      'x/settings.ts': `type Port = number;\n\nexport const port: Port = read();\nfunction read(): Port {\n  throw new Error('SERVICE_PORT is not a number');\n}`,
    },
    expected: { file: 'x/settings.ts', line: 5, column: 9 },
    says: /SERVICE_PORT is not a number/,
  },
  {
    code: 'import_error',
    what: 'a text thrown at import, which has no stack',
    files: { 'x/extension.ts': `const isReady: boolean = Date.now() < 0;\n\nif (!isReady) throw 'not ready';` },
    expected: { file: 'x/extension.ts', line: 3, column: 15 },
    says: /not ready/,
  },
  {
    code: 'import_timeout',
    what: 'an endless loop at import',
    files: { 'x/extension.ts': 'for (;;) {}' },
    expected: { file: 'x/extension.ts' },
    says: /./,
  },
  {
    code: 'process_exited',
    what: 'process.exit at import',
    files: { 'x/extension.ts': `console.log('goodbye');\nprocess.exit(7);` },
    expected: { file: 'x/extension.ts' },
    says: /7/,
  },
  {
    code: 'export_missing',
    what: 'neither TOOL nor TOOLS',
    files: { 'x/extension.ts': 'export const Tool = {};' },
    expected: { file: 'x/extension.ts' },
    says: /TOOL/,
  },
  {
    code: 'export_ambiguous',
    what: 'both TOOL and TOOLS',
    files: { 'x/extension.ts': `${tool('')}export const TOOLS = [TOOL];` },
    expected: { file: 'x/extension.ts' },
    says: /TOOLS/,
  },
  {
    code: 'tool_invalid',
    what: 'a TOOL that is a string',
    files: { 'x/extension.ts': '\nexport const TOOL = "weather";' },
    expected: { file: 'x/extension.ts', line: 2 },
    says: /string/,
  },
  {
    code: 'fields_missing',
    what: 'a tool without name and parameters',
    files: { 'x/extension.ts': `export const TOOL = { label: 'L', description: 'D', execute() {} };` },
    expected: { file: 'x/extension.ts', line: 1 },
    says: /name.*parameters/s,
  },
  {
    code: 'field_invalid',
    what: 'a tool name with a space',
    files: { 'x/extension.ts': tool(`  name: 'two words',\n`) },
    expected: { file: 'x/extension.ts', line: 7 },
    says: /two words/,
  },
  {
    code: 'execute_not_callable',
    what: 'an execute that is text',
    files: { 'x/extension.ts': tool(`  execute: 'run me',\n`) },
    expected: { file: 'x/extension.ts', line: 7 },
    says: /execute/,
  },
  {
    code: 'parameters_invalid',
    what: 'required: true inside a JSON Schema',
    files: {
      'x/extension.ts': tool(`  parameters: {\n    type: 'object',\n    properties: { city: { type: 'string', required: true } },\n  },\n`),
    },
    expected: { file: 'x/extension.ts', line: 9 },
    says: /required/,
  },
  {
    code: 'parameters_invalid',
    what: 'a pattern that is no regular expression',
    files: { 'x/extension.ts': tool(`  parameters: { city: { type: 'string', pattern: '(' } },\n`) },
    expected: { file: 'x/extension.ts' },
    says: /city/,
  },
  {
    code: 'duplicate_tool_name',
    what: 'a name that a neighbour has',
    files: { 'x/extension.ts': tool(''), 'a/extension.ts': tool('') },
    expected: { file: 'x/extension.ts', line: 3 },
    says: /belongs to the extension “a”/,
  },
  {
    code: 'duplicate_tool_name',
    what: 'two tools of one name in one list',
    files: {
      'x/extension.ts': `const base = { label: 'Test', description: 'Does a thing.', parameters: {}, execute: () => 1 };\nexport const TOOLS = [\n  { ...base, name: 'get_a' },\n  { ...base, name: 'get_b' },\n  { ...base, name: 'get_a' },\n];\n`,
    },
    expected: { file: 'x/extension.ts', line: 5, column: 14 },
    says: /“get_a” is defined twice in this file: in `TOOLS\[0\]` and in `TOOLS\[2\]`.*Rename one of the two/s,
  },
  {
    code: 'run_missing',
    what: 'a one-file tool with a default export',
    files: { 'tools/x.ts': `const name = 'x';\n\nexport default function main() { return name; }` },
    expected: { file: 'tools/x.ts', line: 3 },
    says: /`default`.*Export it by name/s,
  },
  {
    code: 'run_missing',
    what: 'a run that is no function',
    files: { 'tools/x.js': `exports.run = 'now';` },
    expected: { file: 'tools/x.js', line: 1 },
    says: /a string; it must be a function/,
  },
  {
    code: 'type_unsupported',
    what: 'a Map in a type of another file',
    files: {
      'tools/x.ts': `import type { Query } from './_query.ts';\nexport function run(query: Query) { return query; }`,
      'tools/_query.ts': `export type Query = {\n  words: string[];\n  seen: Map<string, number>;\n};`,
    },
    expected: { file: 'tools/_query.ts', line: 3, column: 9 },
    says: /"query".*`Map<string, number>`.*Record/s,
  },
  {
    code: 'type_unsupported',
    what: 'a function in a doc comment of JavaScript',
    files: { 'tools/x.js': `/**\n * @param {() => void} done\n */\nexport function run(done) { done(); }` },
    expected: { file: 'tools/x.js', line: 2, column: 11 },
    says: /"done".*a function/s,
  },
  {
    code: 'duplicate_tool_name',
    what: 'a one-file tool with the name of a tool that is there',
    files: { 'tools/neighbour_tool.ts': `export function run() { return 1; }` },
    expected: { file: 'tools/neighbour_tool.ts' },
    says: /belongs to the extension “neighbour”.*rename the file/s,
  },
  {
    code: 'channel_incomplete',
    what: 'a channel that receives under another name',
    files: { 'channels/x.ts': `export function connect() {}\n\nexport async function receive() {}\n\nexport function send() {}\n` },
    expected: { file: 'channels/x.ts', line: 3, column: 23 },
    says: /`recv` is missing.*`recv` where it says `receive`/s,
  },
  {
    code: 'channel_incomplete',
    what: 'a channel whose send is no function',
    files: { 'channels/x.js': `exports.connect = () => {};\nexports.recv = () => {};\nexports.send = { to: 'all' };\n` },
    expected: { file: 'channels/x.js', line: 3 },
    says: /`send` is an object.*`export function send\(message\)/s,
  },
  {
    code: 'channel_incomplete',
    what: 'a channel as a default export',
    files: { 'channels/x.mts': `const name = 'x';\nexport default { connect() {}, recv() {}, send() {} };\n` },
    expected: { file: 'channels/x.mts', line: 2 },
    says: /`connect`, `recv` and `send` are missing.*default export is ignored/s,
  },
];
