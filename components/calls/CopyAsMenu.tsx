'use client';

import '#lib/contract/exact-json.ts';
import { ChevronDown, Code } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { copyText } from '#components/ui/CopyButton.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { toastCopied } from '#components/ui/Sonner.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { holdsBigint } from '#lib/contract/big-integers.ts';
import { API } from '#lib/contract/paths.ts';
import { replaceSecrets } from '#lib/contract/replace-secrets.ts';

/*
 * Values are quoted so that they cannot end their quotes and run as code: single quotes in a shell, JSON elsewhere. Secrets are
 * replaced by their names in angle brackets.
 */
export interface CallToCopy {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** JSON Pointers of secrets; names that mark a secret are found here. */
  readonly secrets: readonly string[];
  readonly origin: string;
  readonly timeoutMs?: number | null;
  readonly needsToken?: boolean;
}

const TOKEN = '<token>';

export const COPY_FORMS = [
  { id: 'curl', label: 'curl', write: curlOf },
  { id: 'mcp', label: 'MCP request', write: mcpOf },
  { id: 'typescript', label: 'TypeScript (fetch)', write: typescriptOf },
  { id: 'python', label: 'Python', write: pythonOf },
  { id: 'cli', label: 'Command line', write: commandOf },
] as const;

export function curlOf(call: CallToCopy): string {
  const token = call.needsToken === true ? ` \\\n  -H 'authorization: Bearer ${TOKEN}'` : '';
  const body = JSON.stringify({ arguments: withPlaceholders(call), ...timeoutOf(call) });
  const head = `curl -sS ${quoted(addressOf(call))} \\\n  -H 'content-type: application/json'${token} \\\n`;
  return fitsArgument(body) ? `${head}  --data-raw ${quoted(body)}` : onStdin(`${head}  --data-binary @-`, body);
}

export function mcpOf(call: CallToCopy): string {
  const params = { name: call.tool, arguments: withPlaceholders(call) };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2);
}

export function typescriptOf(call: CallToCopy): string {
  const args = withPlaceholders(call);
  const text = JSON.stringify(args, null, 2);
  // In an object literal this name would set the prototype.
  const literal = text.includes('"__proto__":') ? `JSON.parse(${JSON.stringify(text)})` : text.replaceAll('\n', '\n  ');
  // A number that JavaScript would round is kept as text.
  const body = holdsBigint(args) ? JSON.stringify(JSON.stringify({ arguments: args, ...timeoutOf(call) })) : null;
  const token = call.needsToken === true ? `, authorization: 'Bearer ${TOKEN}'` : '';
  const timeout = call.timeoutMs == null ? '' : `, timeout_ms: ${call.timeoutMs}`;
  return [
    `const response = await fetch(${JSON.stringify(addressOf(call))}, {`,
    "  method: 'POST',",
    `  headers: { 'content-type': 'application/json'${token} },`,
    `  body: ${body ?? `JSON.stringify({ arguments: ${literal}${timeout} })`},`,
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    'const call = await response.json();',
    'if (call.error !== null) throw new Error(call.error.message);',
    'console.log(call.result);',
  ].join('\n');
}

/** Standard library only. */
export function pythonOf(call: CallToCopy): string {
  const token = call.needsToken === true ? `, "authorization": "Bearer ${TOKEN}"` : '';
  const timeout = call.timeoutMs == null ? '' : `, "timeout_ms": ${call.timeoutMs}`;
  return [
    'import json',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(addressOf(call))},`,
    `    data=json.dumps({"arguments": ${pythonValue(withPlaceholders(call), '    ')}${timeout}}).encode(),`,
    `    headers={"content-type": "application/json"${token}},`,
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    call = json.load(response)',
    'if call["error"] is not None:',
    '    raise SystemExit(call["error"]["message"])',
    'print(call["result"])',
  ].join('\n');
}

function pythonValue(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  const within = (open: string, members: readonly string[], close: string): string =>
    members.length === 0 ? `${open}${close}` : `${open}\n${members.map((each) => `${inner}${each},\n`).join('')}${indent}${close}`;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return within(
      '[',
      value.map((item: unknown) => pythonValue(item, inner)),
      ']',
    );
  if (typeof value !== 'object') return JSON.stringify(value);
  return within(
    '{',
    Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonValue(member, inner)}`),
    '}',
  );
}

export function commandOf(call: CallToCopy): string {
  const token = call.needsToken === true ? `SWITCHBOARD_TOKEN='${TOKEN}' ` : '';
  const timeout = call.timeoutMs == null ? '' : ` --timeout ${Math.max(1, Math.ceil(call.timeoutMs / 1_000))}`;
  const args = JSON.stringify(withPlaceholders(call));
  const isWord = fitsArgument(args);
  const line = `${token}npx switchboard call ${quoted(call.tool)} ${isWord ? quoted(args) : '-'} --url ${quoted(call.origin)}${timeout}`;
  return isWord ? line : onStdin(line, args);
}

function timeoutOf({ timeoutMs }: CallToCopy): { readonly timeout_ms?: number } {
  return timeoutMs == null ? {} : { timeout_ms: timeoutMs };
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Linux limits one argument to 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000;

function fitsArgument(json: string): boolean {
  return new TextEncoder().encode(json).length <= MAX_ARGUMENT_BYTES;
}

function onStdin(command: string, json: string): string {
  return `${command} <<'JSON'\n${json}\nJSON`;
}

function addressOf({ origin, tool }: CallToCopy): string {
  return `${origin}${API.callTool(tool)}`;
}

export function holdsSecrets({ arguments: args, secrets }: Pick<CallToCopy, 'arguments' | 'secrets'>): boolean {
  let found = false;
  replaceSecrets(args, { place: null, at: new Set(secrets), secret: () => (found = true) });
  return found;
}

function withPlaceholders({ arguments: args, secrets }: CallToCopy): unknown {
  return replaceSecrets(args, { place: null, at: new Set(secrets), secret: ({ name }) => `<${name}>` });
}

interface CopyAsMenuProps {
  call: Omit<CallToCopy, 'origin'>;
  /** The recorded call with its result; null while it is loading. */
  record?: (() => string) | null;
  compact?: boolean;
}

export function CopyAsMenu({ call, record, compact = false }: CopyAsMenuProps) {
  const needsToken = useSession().view.mode === 'team';

  async function copy({ id, label, write }: (typeof COPY_FORMS)[number]) {
    const isCopied = await copyText(() => write({ ...call, origin: window.location.origin, needsToken }));
    const missing = [...(holdsSecrets(call) ? ['the secrets'] : []), ...(needsToken && id !== 'mcp' ? ['a token'] : [])];
    toastCopied(isCopied, `Copied: ${label}.${missing.length === 0 ? '' : ` Replace <…> with ${missing.join(' and ')}.`}`);
  }

  async function copyRecord() {
    if (record != null) toastCopied(await copyText(record), 'Copied: JSON with the result.');
  }

  return (
    <DropdownMenu
      trigger={
        compact ? (
          <IconButton label="Copy as" data-copy-as>
            <Code />
          </IconButton>
        ) : (
          <Button size="sm" icon={<Code />} data-copy-as>
            Copy as
            <ChevronDown className="size-3.5" />
          </Button>
        )
      }
    >
      {record === undefined ? null : (
        <MenuItem disabled={record === null} onSelect={() => void copyRecord()}>
          JSON with the result
        </MenuItem>
      )}
      {COPY_FORMS.map((form) => (
        <MenuItem key={form.id} onSelect={() => void copy(form)}>
          {form.label}
        </MenuItem>
      ))}
    </DropdownMenu>
  );
}
