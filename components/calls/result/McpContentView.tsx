'use client';

import { CircleX, ExternalLink, FileText, Image, Volume2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { DataView } from './DataView.tsx';
import { DownloadButton } from './DownloadButton.tsx';
import { JsonTree } from './JsonTree.tsx';
import { bytesOfBase64, hostOfLink, readBlock, readMedia } from './mcp-content.ts';
import type { ContentBlock, McpResult } from './mcp-content.ts';
import { bytesFromBase64, fileName } from './result-file.ts';
import { jsonInText } from './text-look.ts';
import { ReadableText } from './TextView.tsx';
import { sizeInWords } from '#components/ui/byte-size.ts';

/** What a tool of the Model Context Protocol answered, part by part. Nothing is loaded from elsewhere, nothing opens by itself. */
export function McpContentView({ result, label }: { result: McpResult; label: string }) {
  const { content, structuredContent, isError } = result;
  const parts = [...content.entries()];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {isError ? (
        <p role="note" className="flex gap-2 rounded bg-failed-soft px-3 py-2 text-sm">
          <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
          Marked as an error (isError): an agent is told that this failed.
        </p>
      ) : null}
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
      <Frame title={`A part of the kind “${value.type}”`}>
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
        <Button size="sm" icon={media.kind === 'image' ? <Image aria-hidden /> : <Volume2 aria-hidden />} onClick={() => setWanted(true)}>
          {media.kind === 'image' ? 'Show the picture' : 'Show the player'}
        </Button>
        {file}
      </div>
    );
  }
  return (
    <div className="flex flex-col items-start gap-2">
      {media.kind === 'image' ? (
        // oxlint-disable-next-line nextjs/no-img-element -- its bytes are here already
        <img
          src={media.source}
          alt={`What the tool drew, ${media.mimeType}, ${sizeInWords(media.bytes)}`}
          decoding="async"
          onError={() => setFailed(true)}
          className="max-h-[60dvh] max-w-full rounded border bg-subtle object-contain"
        />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a result has none
        <audio
          controls
          src={media.source}
          aria-label="The sound of the result"
          onError={() => setFailed(true)}
          className="w-full max-w-md"
        />
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
        <p className="text-sm text-muted">It came without content.</p>
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
          <span className="text-sm text-muted">Addresses with http and https can be opened from here, this one cannot.</span>
        ) : (
          <Button size="sm" asChild>
            <a href={link.uri} target="_blank" rel="noopener noreferrer nofollow">
              <ExternalLink aria-hidden />
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
    <span className="inline-flex min-w-0 items-start gap-1.5">
      <FileText aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
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

/** An ending that no system runs on a double click. */
function endingOf(mimeType: string): string {
  const known = /^(?:image|audio)\/(png|jpeg|gif|webp|wav|mpeg|ogg|flac|webm|mp4)$/.exec(mimeType.toLowerCase());
  return known?.[1] ?? 'bin';
}
