import { applyEdits, modify } from 'jsonc-parser';
import type { FormattingOptions } from 'jsonc-parser';
import { withoutMark } from '#lib/contract/byte-order-mark.ts';
import type { ServerConfig } from '#lib/contract/servers.ts';

/** Changes servers in the text of an `mcp.json`, and leaves everything else of it as it is. */

const KEY = 'mcpServers';

/** @param changes null removes a server */
export function changeServerList(text: string | null, changes: Readonly<Record<string, ServerConfig | null>>): string {
  const before = text === null || withoutMark(text).trim() === '' ? `{\n  "${KEY}": {}\n}\n` : withoutMark(text);
  const formattingOptions = formattingOf(before);
  return Object.entries(changes).reduce(
    (changed, [name, config]) => applyEdits(changed, modify(changed, [KEY, name], config ?? undefined, { formattingOptions })),
    before,
  );
}

/** The text of a file with one server. */
export function changeServerFile(text: string, config: ServerConfig): string {
  const formattingOptions = formattingOf(text);
  return applyEdits(withoutMark(text), modify(withoutMark(text), [], config, { formattingOptions }));
}

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
