import { CORE_CHANNELS } from '#lib/contract/channel.ts';
import { isValidName, NAME_RULE } from '#lib/contract/extension-names.ts';
import type { NewExtension, NewKind } from '#lib/contract/new-extension.ts';
import { channelPython, channelTypeScript } from './templates/channel-templates.ts';
import { serverEntry, serverJavaScript, serverPython } from './templates/mcp-templates.ts';
import { toolPython, toolsPython, toolsTypeScript, toolTypeScript } from './templates/tool-templates.ts';

const RESERVED = ['tools', 'channels', 'example', 'node_modules'];
const CODE_ENDINGS = ['ts', 'mts', 'js', 'mjs', 'py'];
/** Leaves space for the prefix in tool names. */
const SUBJECT_LENGTH = 40;

/** Why an extension of this kind cannot have this name; null when it can. */
export function refusalOfNewName(kind: NewKind, name: string): string | null {
  if (!isValidName(name)) return `“${name}” cannot be the name of an extension: ${NAME_RULE}.`;
  if ((kind === 'tools' || kind === 'mcp') && RESERVED.includes(name.toLowerCase())) return `“${name}” is reserved; choose another name.`;
  if (kind === 'channel' && CORE_CHANNELS.some((core) => core === name.toLowerCase()))
    return `The channel “${name}” is part of the server; choose another name.`;
  return null;
}

/** Possible paths of an existing extension with that id, in any language: a second one would be ambiguous. */
export function placesOfNew(kind: NewKind, name: string): readonly string[] {
  if (kind === 'tool' || kind === 'channel') return CODE_ENDINGS.map((ending) => `${kind}s/${name}.${ending}`);
  return [name];
}

export function idOfNew(kind: NewKind, name: string): string {
  return kind === 'tool' || kind === 'channel' ? `${kind}s/${name}` : name;
}

/** A small working extension: its files by path, the one to open first. */
export function filesOfNew({ kind, name, language }: NewExtension): Readonly<Record<string, string>> {
  const isPython = language === 'python';
  const ending = isPython ? 'py' : 'ts';
  const subject = name.toLowerCase().replaceAll('-', '_').slice(0, SUBJECT_LENGTH);
  switch (kind) {
    case 'tool':
      return { [`tools/${name}.${ending}`]: isPython ? toolPython : toolTypeScript };
    case 'tools':
      return { [`${name}/extension.${ending}`]: isPython ? toolsPython(subject) : toolsTypeScript(subject) };
    case 'channel':
      return { [`channels/${name}.${ending}`]: isPython ? channelPython(name) : channelTypeScript(name) };
    case 'mcp': {
      const file = isPython ? 'server.py' : 'server.mjs';
      return {
        [`${name}/${file}`]: isPython ? serverPython(name) : serverJavaScript(name),
        [`${name}/mcp.json`]: serverEntry({ command: isPython ? 'python3' : 'node', args: [file] }),
      };
    }
  }
}
