/*
 * Content as the Model Context Protocol has it, made safe to draw. What can go wrong: a picture that is a program (SVG is
 * not among what is drawn), a type that says one thing while the bytes are another (the first bytes must fit), an address
 * that runs something (only http and https can be opened), megabytes that nobody asked to see (`isLarge` asks first).
 */
export interface Media {
  readonly kind: 'image' | 'audio';
  readonly mimeType: string;
  readonly source: string;
  readonly bytes: number;
  readonly isLarge: boolean;
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string | undefined;
      readonly title: string | undefined;
      readonly description: string | undefined;
      readonly mimeType: string | undefined;
    }
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly mimeType: string | undefined;
        readonly text: string | undefined;
        readonly blob: string | undefined;
      };
    };

const KINDS = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

export interface McpPart {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface McpResult {
  readonly content: readonly McpPart[];
  readonly structuredContent: unknown;
  /** The tool says that it failed, though its call went well. */
  readonly isError: boolean;
}

/** A value that speaks the protocol; null for any other. One part of a kind that is known is enough. */
export function readMcpResult(value: unknown): McpResult | null {
  const content = isObject(value) ? value['content'] : null;
  if (!isObject(value) || !Array.isArray(content)) return null;
  const parts = content.filter(isPart);
  if (parts.length !== content.length || !parts.some(({ type }) => KINDS.has(type))) return null;
  return { content: parts, structuredContent: value['structuredContent'], isError: value['isError'] === true };
}

/** A part that can be drawn; null for a kind that is not known here, or one that is not what it should be. */
export function readBlock(value: unknown): ContentBlock | null {
  if (!isObject(value)) return null;
  const { type } = value;
  if (type === 'text') return isText(value['text']) ? { type, text: value['text'] } : null;
  if (type === 'image' || type === 'audio') {
    const { data, mimeType } = value;
    return isText(data) && isText(mimeType) ? { type, data, mimeType } : null;
  }
  if (type === 'resource_link') {
    const { uri, name, title, description, mimeType } = value;
    const fits = isText(uri) && isTextOrAbsent(name) && isTextOrAbsent(title) && isTextOrAbsent(description) && isTextOrAbsent(mimeType);
    return fits ? { type, uri, name, title, description, mimeType } : null;
  }
  if (type !== 'resource' || !isObject(value['resource'])) return null;
  const { uri, mimeType, text, blob } = value['resource'];
  const fits = isText(uri) && isTextOrAbsent(mimeType) && isTextOrAbsent(text) && isTextOrAbsent(blob);
  return fits ? { type, resource: { uri, mimeType, text, blob } } : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPart(value: unknown): value is McpPart {
  return isObject(value) && isText(value['type']);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || isText(value);
}

const DRAWN: Readonly<Record<string, { readonly kind: Media['kind']; readonly begins: readonly RegExp[] }>> = {
  'image/png': { kind: 'image', begins: [/^\x89PNG\r\n[^]\n/] },
  'image/jpeg': { kind: 'image', begins: [/^\xff\xd8\xff/] },
  'image/gif': { kind: 'image', begins: [/^GIF8[79]a/] },
  'image/webp': { kind: 'image', begins: [/^RIFF[^]{4}WEBP/] },
  'audio/wav': { kind: 'audio', begins: [/^RIFF[^]{4}WAVE/] },
  'audio/mpeg': { kind: 'audio', begins: [/^ID3/, /^\xff[\xe0-\xff]/] },
  'audio/ogg': { kind: 'audio', begins: [/^OggS/] },
  'audio/flac': { kind: 'audio', begins: [/^fLaC/] },
  'audio/webm': { kind: 'audio', begins: [/^[^]E\xdf\xa3/] },
  'audio/mp4': { kind: 'audio', begins: [/^[^]{4}ftyp/] },
};
const SAME: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
};

const SHOWN_UNASKED = 1_048_576;
const DRAWN_MOST = 10_485_760;

/** A picture or sound that can be put on the page, or in words why it cannot. */
export function readMedia(data: string, mimeType: string): Media | string {
  const bare = mimeType.toLowerCase().split(';')[0]?.trim() ?? '';
  const type = SAME[bare] ?? bare;
  const known = Object.hasOwn(DRAWN, type) ? DRAWN[type] : undefined;
  if (known === undefined) return 'Content of this type is not shown here: PNG, JPEG, GIF and WebP pictures and common sounds are.';
  const bytes = bytesOfBase64(data);
  if (bytes > DRAWN_MOST) return 'This is too large to be shown here.';
  let start: string;
  try {
    start = atob(data.slice(0, 64));
  } catch {
    return 'Its data is not base64.';
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return 'Its data is not base64.';
  if (!known.begins.some((sign) => sign.test(start))) return `Its bytes are not ${type}, as it says.`;
  return { kind: known.kind, mimeType: type, source: `data:${type};base64,${data}`, bytes, isLarge: bytes > SHOWN_UNASKED };
}

export function bytesOfBase64(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** The host that an address leads to; null for an address that is not opened from here. */
export function hostOfLink(uri: string): string | null {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return null;
  return new URL(uri).host;
}
