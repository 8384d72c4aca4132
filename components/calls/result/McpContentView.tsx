'use client';

import { ExternalLink, FileText, Image, Volume2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Note } from '#components/ui/Note.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { sizeInWords } from '#components/ui/numbers.ts';
import { JsonTree } from './JsonTree.tsx';
import { Choice, DownloadButton, bytesFromBase64, fileName } from './ResultControls.tsx';
import { TableView, listIn } from './TableView.tsx';
import { ReadableText } from './TextView.tsx';
import { jsonInText } from './text-format.ts';

/*
 * MCP content blocks, safe to render. What can go wrong:
 * - an image is a program: SVG is not rendered;
 * - the declared type does not match the bytes: the first bytes are checked;
 * - a link runs code: only http and https links open;
 * - media is large: `isLarge` asks first.
 */
interface Media {
  readonly kind: 'image' | 'audio';
  readonly mimeType: string;
  readonly source: string;
  readonly bytes: number;
  readonly isLarge: boolean;
}

type ContentBlock =
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

interface McpPart {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface McpResult {
  readonly content: readonly McpPart[];
  readonly structuredContent: unknown;
  /** The tool reports an error although the call succeeded. */
  readonly isError: boolean;
}

/** Null for other values. One known content block is enough. */
export function readMcpResult(value: unknown): McpResult | null {
  const content = isObject(value) ? value['content'] : null;
  if (!isObject(value) || !Array.isArray(content)) return null;
  const parts = content.filter(isPart);
  if (parts.length !== content.length || !parts.some(({ type }) => KINDS.has(type))) return null;
  return { content: parts, structuredContent: value['structuredContent'], isError: value['isError'] === true };
}

/** Null for unknown or malformed blocks. */
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
const MAX_MEDIA_BYTES = 10_485_760;

/** A data URL, or why it cannot be shown. */
export function readMedia(data: string, mimeType: string): Media | string {
  const bare = mimeType.toLowerCase().split(';')[0]?.trim() ?? '';
  const type = SAME[bare] ?? bare;
  const known = Object.hasOwn(DRAWN, type) ? DRAWN[type] : undefined;
  if (known === undefined) return 'Cannot show this type. Supported: PNG, JPEG, GIF, WebP and common audio.';
  const bytes = bytesOfBase64(data);
  if (bytes > MAX_MEDIA_BYTES) return 'Too large to show.';
  let start: string;
  try {
    start = atob(data.slice(0, 64));
  } catch {
    return 'Its data is not base64.';
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return 'Its data is not base64.';
  if (!known.begins.some((sign) => sign.test(start))) return `Its data is not ${type}, the declared type.`;
  return { kind: known.kind, mimeType: type, source: `data:${type};base64,${data}`, bytes, isLarge: bytes > SHOWN_UNASKED };
}

function bytesOfBase64(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** Null for addresses that must not be opened. */
export function hostOfLink(uri: string): string | null {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return null;
  return new URL(uri).host;
}

/** Nothing is loaded from elsewhere or opened automatically. */
export function McpContentView({ result, label }: { result: McpResult; label: string }) {
  const { content, structuredContent, isError } = result;
  const parts = [...content.entries()];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {isError ? <Note tone="failed">Marked as an error (isError)</Note> : null}
      {parts.map(([at, part]) => (
        <Part key={at} value={part} label={parts.length === 1 ? label : `${label}, part ${at + 1}`} />
      ))}
      {typeof structuredContent === 'object' && structuredContent !== null ? (
        <Frame title="Structured content">
          <DataView value={structuredContent} label="Structured content" />
        </Frame>
      ) : null}
    </div>
  );
}

function Part({ value, label }: { value: { readonly type: string }; label: string }) {
  const block = readBlock(value);
  if (block === null)
    return (
      <Frame title={`Content of type “${value.type}”`}>
        <JsonTree value={value} label={label} />
      </Frame>
    );
  switch (block.type) {
    case 'text':
      return <PartText text={block.text} label={label} />;
    case 'image':
    case 'audio':
      return (
        <Frame title={block.type === 'image' ? 'Picture' : 'Sound'} note={block.mimeType}>
          <MediaView data={block.data} mimeType={block.mimeType} />
        </Frame>
      );
    case 'resource':
      return <ResourceView resource={block.resource} label={label} />;
    case 'resource_link':
      return <LinkView link={block} />;
  }
}

function PartText({ text, label, markdown = false }: { text: string; label: string; markdown?: boolean }) {
  const json = jsonInText(text);
  return json === undefined ? <ReadableText text={text} label={label} markdown={markdown} /> : <DataView value={json} label={label} />;
}

function MediaView({ data, mimeType }: { data: string; mimeType: string }) {
  const [wanted, setWanted] = useState(false);
  const [failed, setFailed] = useState(false);
  const media = readMedia(data, mimeType);
  const bytes = bytesOfBase64(data);
  const file = (
    <DownloadButton
      label={`Download ${sizeInWords(bytes)}`}
      name={fileName(['content'], endingOf(mimeType))}
      content={() => bytesFromBase64(data) ?? data}
    />
  );
  if (typeof media === 'string' || failed) {
    return (
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span>{typeof media === 'string' ? media : 'The browser cannot show it.'}</span>
        {file}
      </div>
    );
  }
  if (media.isLarge && !wanted) {
    return (
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" icon={media.kind === 'image' ? <Image /> : <Volume2 />} onClick={() => setWanted(true)}>
          {media.kind === 'image' ? 'Show the picture' : 'Show the player'}
        </Button>
        {file}
      </div>
    );
  }
  return (
    <div className="flex flex-col items-start gap-2">
      {media.kind === 'image' ? (
        // oxlint-disable-next-line nextjs/no-img-element -- its bytes are inline
        <img
          src={media.source}
          alt={`Output of the tool, ${media.mimeType}, ${sizeInWords(media.bytes)}`}
          decoding="async"
          onError={() => setFailed(true)}
          className="max-h-[60dvh] max-w-full rounded border bg-subtle object-contain"
        />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a result has none
        <audio controls src={media.source} aria-label="Audio of the result" onError={() => setFailed(true)} className="w-full max-w-md" />
      )}
      {file}
    </div>
  );
}

function ResourceView({ resource, label }: { resource: Extract<ContentBlock, { type: 'resource' }>['resource']; label: string }) {
  const { uri, mimeType = '', text, blob } = resource;
  return (
    <Frame title={<Address uri={uri} />} note={mimeType}>
      {text !== undefined ? (
        <PartText text={text} label={label} markdown={mimeType === 'text/markdown'} />
      ) : blob === undefined ? (
        <p className="text-sm text-muted">No content</p>
      ) : (
        <MediaView data={blob} mimeType={mimeType} />
      )}
    </Frame>
  );
}

function LinkView({ link }: { link: Extract<ContentBlock, { type: 'resource_link' }> }) {
  const host = hostOfLink(link.uri);
  const name = link.title ?? link.name;
  return (
    <Frame title={name === undefined ? 'Link to a resource' : name} note={link.mimeType ?? ''}>
      {link.description === undefined ? null : <p className="foreign text-sm">{link.description}</p>}
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Address uri={link.uri} />
        <CopyButton text={link.uri} label="Copy the address" />
        {host === null ? (
          <span className="text-sm text-muted">Only http and https links can be opened.</span>
        ) : (
          <Button size="sm" asChild>
            <a href={link.uri} target="_blank" rel="noopener noreferrer nofollow">
              <ExternalLink />
              Open {host}
            </a>
          </Button>
        )}
      </div>
    </Frame>
  );
}

function Address({ uri }: { uri: string }) {
  return (
    <span className="inline-flex min-w-0 items-start gap-2">
      <FileText className="h-lh w-4 shrink-0 text-muted" />
      <code className="min-w-0 text-sm break-all">{uri}</code>
    </span>
  );
}

function Frame({ title, note = '', children }: { title: ReactNode; note?: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <p className="min-w-0 text-sm font-semibold break-words">{title}</p>
        {note === '' ? null : <span className="text-xs break-all text-muted">{note}</span>}
      </div>
      {children}
    </section>
  );
}

/** An extension that no system executes. */
function endingOf(mimeType: string): string {
  const known = /^(?:image|audio)\/(png|jpeg|gif|webp|wav|mpeg|ogg|flac|webm|mp4)$/.exec(mimeType.toLowerCase());
  return known?.[1] ?? 'bin';
}

const VIEWS = [
  { id: 'tree', label: 'Tree' },
  { id: 'table', label: 'Table' },
] as const;

function DataView({ value, label }: { value: object; label: string }) {
  const list = useMemo(() => listIn(value), [value]);
  const [chosen, setChosen] = useState<'tree' | 'table' | null>(null);
  if (list === null) return <JsonTree value={value} label={label} />;
  const view = chosen ?? (list.isAll ? 'table' : 'tree');
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Choice label={`How ${label} is shown`} options={VIEWS} value={view} onChange={setChosen} />
      {view === 'tree' ? <JsonTree value={value} label={label} /> : <TableView list={list} label={`${label} as a table`} />}
    </div>
  );
}
