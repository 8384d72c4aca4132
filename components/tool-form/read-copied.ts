/*
 * What Copy as gives as a command or as code, read back. Only that is understood, not the languages: what else may stand there is
 * nothing that a form could do. The values are the texts of JSON in all of them, quoted once more by the shell or the language.
 */
export interface Copied {
  /** Where the call is sent, or the name of the tool on a command line. */
  readonly to: { readonly address: string } | { readonly tool: string };
  /** A text of JSON: the arguments alone, or the body that holds them. */
  readonly json: string;
  readonly what: 'arguments' | 'body';
}

/** How code and commands begin that people may take for something that can be pasted. */
const CODE =
  /^\s*(?:\$\s+)?(?:curl|npx|wget|switchboard)\s|^\s*SWITCHBOARD_TOKEN=|^\s*(?:const|let|var)\s+\w+\s*=|^\s*(?:await\s+)?fetch\(|^\s*import\s+(?:json|requests|httpx|urllib)\b/;

const READERS: readonly ((text: string) => Copied | null)[] = [readCurl, readCommand, readTypeScript, readPython];

/** A call that was copied; `unknown` for a command or code that Copy as does not write; null for anything else. */
export function readCopied(copied: string): Copied | 'unknown' | null {
  const text = copied.replaceAll(/\r\n?/g, '\n');
  if (!CODE.test(text)) return null;
  for (const read of READERS) {
    const found = read(text.trim());
    if (found !== null) return found;
  }
  return 'unknown';
}

const STDIN = / <<'JSON'\n([^]*)\nJSON$/;
/** Space, or letters that mean themselves, text in single quotes, and a quote between two of those. */
const PART = /(?:\s|\\\n)+|((?:[\w@%+=:,./-]|'[^']*'|\\')+)/y;

/** The words that a POSIX shell makes of a command; null where it would do more than that. */
function wordsOf(text: string): { readonly words: readonly string[]; readonly input: string | null } | null {
  const input = STDIN.exec(text);
  const command = input === null ? text : text.slice(0, input.index);
  const words: string[] = [];
  for (PART.lastIndex = 0; PART.lastIndex < command.length;) {
    const part = PART.exec(command);
    if (part === null) return null;
    if (part[1] !== undefined) words.push(part[1].replaceAll(/'([^']*)'|\\'/g, (_, inner?: string) => inner ?? "'"));
  }
  return { words, input: input?.[1] ?? null };
}

/** Options that stand before a value, and what is no option. */
function optionsOf(words: readonly string[], flags: readonly string[]) {
  const options = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (flags.includes(word)) continue;
    if (word.startsWith('-') && word !== '-') options.set(word, words[(at += 1)] ?? '');
    else rest.push(word);
  }
  return { options, rest };
}

function readCurl(text: string): Copied | null {
  const line = wordsOf(text);
  if (line?.words[0] !== 'curl') return null;
  const { options, rest } = optionsOf(line.words.slice(1), ['-sS']);
  const json = options.get('--data-raw') ?? (options.get('--data-binary') === '@-' ? line.input : null);
  const [address, ...more] = rest;
  if (json === null || address === undefined || more.length > 0) return null;
  return { to: { address }, json, what: 'body' };
}

function readCommand(text: string): Copied | null {
  const line = wordsOf(text);
  if (line === null) return null;
  const words = line.words[0]?.startsWith('SWITCHBOARD_TOKEN=') === true ? line.words.slice(1) : line.words;
  const [npx, program, command, ...others] = words;
  if (npx !== 'npx' || program !== 'switchboard' || command !== 'call') return null;
  const [tool, args, ...more] = optionsOf(others, []).rest;
  const json = args === '-' ? line.input : (args ?? null);
  return tool === undefined || json === null || more.length > 0 ? null : { to: { tool }, json, what: 'arguments' };
}

const TEXT = String.raw`"(?:[^"\\\n]|\\.)*"`;
const WHOLE_TEXT = new RegExp(`^${TEXT}$`, 'u');
const FETCH = new RegExp(
  String.raw`^const response = await fetch\((${TEXT}), \{\n  method: 'POST',\n  headers: \{[^\n]*\},\n  body: ([^]*),\n\}\);\nif \(!response\.ok\)`,
  'u',
);
const WRITTEN = /^JSON\.stringify\(\{ arguments: ([^]*?)(?:, timeout_ms: \d+)? \}\)$/;
const PARSED = new RegExp(String.raw`^JSON\.parse\((${TEXT})\)$`, 'u');

function readTypeScript(text: string): Copied | null {
  const [, address = '', body = ''] = FETCH.exec(text) ?? [];
  if (address === '') return null;
  const to = { address: textOf(address) };
  if (WHOLE_TEXT.test(body)) return { to, json: textOf(body), what: 'body' };
  const args = WRITTEN.exec(body)?.[1];
  if (args === undefined) return null;
  const parsed = PARSED.exec(args)?.[1];
  return { to, json: parsed === undefined ? args : textOf(parsed), what: 'arguments' };
}

const REQUEST = new RegExp(
  String.raw`^import json\nimport urllib\.request\n\nrequest = urllib\.request\.Request\(\n    (${TEXT}),\n    data=json\.dumps\(\{"arguments": ([^]*?)(?:, "timeout_ms": \d+)?\}\)\.encode\(\),\n    headers=\{[^\n]*\},\n\)\n`,
  'u',
);
const PYTHON_PART = new RegExp(String.raw`${TEXT}|\b(?:None|True|False)\b|,(?=\s*[\]}])`, 'gu');
const IN_JSON: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', ',': '' };

function readPython(text: string): Copied | null {
  const [, address = '', args = ''] = REQUEST.exec(text) ?? [];
  if (address === '') return null;
  return { to: { address: textOf(address) }, json: args.replaceAll(PYTHON_PART, (part) => IN_JSON[part] ?? part), what: 'arguments' };
}

/** Both languages read a text of JSON as JSON does. */
function textOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return '';
  }
}
