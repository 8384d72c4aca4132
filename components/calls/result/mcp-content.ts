import { z } from 'zod';

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

const text = z.looseObject({ type: z.literal('text'), text: z.string() });
const media = z.looseObject({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() });
const link = z.looseObject({
  type: z.literal('resource_link'),
  uri: z.string(),
  name: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
const resource = z.looseObject({
  type: z.literal('resource'),
  resource: z.looseObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string().optional(), blob: z.string().optional() }),
});
const blockSchema = z.union([text, media, link, resource]);
export type ContentBlock = z.infer<typeof blockSchema>;

const KINDS = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const resultSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).min(1),
  structuredContent: z.unknown().optional(),
});
export type McpResult = z.infer<typeof resultSchema>;

/** A value that speaks the protocol; null for any other. One part of a kind that is known is enough. */
export function readMcpResult(value: unknown): McpResult | null {
  const read = resultSchema.safeParse(value);
  return read.success && read.data.content.some(({ type }) => KINDS.has(type)) ? read.data : null;
}

/** A part that can be drawn; null for a kind that is not known here, or one that is not what it should be. */
export function readBlock(value: unknown): ContentBlock | null {
  return blockSchema.safeParse(value).data ?? null;
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
