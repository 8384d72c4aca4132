'use client';

import { FileUp, X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { DragEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { sizeInWords } from '#components/ui/numbers.ts';
import { cx } from '#components/ui/cx.ts';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { LIMITS } from '#lib/contract/limits.ts';
import { type ControlProps, emptyWords, useControlNames, useFormView } from './form-view.tsx';
import { numberOf, textOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';

/** Longer values are shown by size only. */
const READ_MOST = 2_000;
/** Reserved for the rest of the request body. */
const BESIDE_BYTES = 16_384;
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

export function BytesControl({ plan, pointer, name, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit, disabled } = useFormView();
  const [file, setFile] = useState<{ readonly name: string; readonly text: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const wanted = useRef<File>(null);
  const text = typeof value === 'string' ? value : '';
  const isFile = file !== null && value === file.text;
  const size = BASE64.test(text) ? sizeInWords(bytesIn(text)) : null;
  const shown = isFile ? `${file.name}, ${size}` : text.length > READ_MOST ? `${size ?? sizeInWords(text.length)} of base64` : null;

  function set(next: string | undefined) {
    wanted.current = null;
    setProblem(null);
    onChange(next);
  }

  async function take(chosen: File | undefined) {
    if (chosen === undefined) return;
    const most = mostBytes(plan.node);
    if (chosen.size > most) {
      setProblem(
        `${chosen.name} (${sizeInWords(chosen.size)}) is larger than ${sizeInWords(most)}, the most that can be sent. Choose a smaller file.`,
      );
      return;
    }
    wanted.current = chosen;
    const read = await base64Of(chosen, isUrlSafe(plan.node));
    // Another file was chosen or text was typed meanwhile.
    if (wanted.current !== chosen) return;
    if (read === null) {
      setProblem(`${chosen.name} cannot be read. Choose a file that this browser may open.`);
      return;
    }
    setFile({ name: chosen.name, text: read });
    set(read);
    onVisit(pointer);
  }

  function drag(event: DragEvent) {
    if (disabled || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  }

  function noteOf(): string {
    if (isFile) return `The file is filled in, ${size}.`;
    if (text === '' || shown !== null) return '';
    return size ?? 'This is not base64.';
  }

  return (
    <>
      <span
        className={cx('relative flex rounded', isOver && 'outline-2 outline-offset-2 outline-accent outline-dashed')}
        onDragEnter={drag}
        onDragOver={drag}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          if (disabled || event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          void take(event.dataTransfer.files[0]);
        }}
      >
        <Input
          {...names}
          type="text"
          value={shown ?? text}
          readOnly={shown !== null}
          placeholder={value === null ? 'null' : emptyWords(plan) || 'base64, or drop a file here'}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => set(event.target.value === '' ? undefined : event.target.value)}
          onBlur={() => onVisit(pointer)}
          className={cx('text-ellipsis', text !== '' && 'pr-10', shown !== null && 'bg-subtle')}
        />
        {text === '' ? null : (
          <IconButton
            size="sm"
            label={`Clear ${name}`}
            onClick={() => {
              choose.current?.focus();
              setFile(null);
              set(undefined);
            }}
            className="absolute top-1/2 right-0.5 -translate-y-1/2"
          >
            <X />
          </IconButton>
        )}
      </span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          ref={choose}
          size="sm"
          icon={<FileUp />}
          aria-label={`Choose ${text === '' ? 'a' : 'another'} file for ${name}`}
          onClick={() => picker.current?.click()}
        >
          {text === '' ? 'Choose a file' : 'Choose another file'}
        </Button>
        <p role="status" className={cx('foreign min-w-0 text-xs', problem === null ? 'text-muted' : 'basis-full font-medium text-failed')}>
          {problem ?? noteOf()}
        </p>
        <input
          ref={picker}
          type="file"
          hidden
          accept={textOf(plan.node['contentMediaType']) ?? undefined}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // Allows choosing the same file again after a change.
            event.target.value = '';
          }}
        />
      </div>
    </>
  );
}

/** Limited by the request body and by maxLength; four characters carry three bytes. */
function mostBytes(node: SchemaNode): number {
  const letters = Math.min(LIMITS.bodyBytes - BESIDE_BYTES, numberOf(node['maxLength']) ?? Number.POSITIVE_INFINITY);
  return Math.floor(letters / 4) * 3;
}

function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function isUrlSafe(node: SchemaNode): boolean {
  return /^base64url$/i.test(textOf(node['contentEncoding']) ?? textOf(node['format']) ?? '');
}

/** Null if the browser cannot read it, for example a folder. */
function base64Of(file: File, urlSafe: boolean): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => resolve(null));
    reader.addEventListener('load', () => {
      const address = typeof reader.result === 'string' ? reader.result : '';
      const text = address.slice(address.indexOf(',') + 1);
      resolve(urlSafe ? text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') : text);
    });
    reader.readAsDataURL(file);
  });
}
