'use client';

import { Download } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { download } from './result-file.ts';

export interface DownloadButtonProps {
  label: string;
  name: string;
  /** Made when it is wanted. */
  content: () => string | Uint8Array<ArrayBuffer>;
}

/** Saves as a file what may be too long for the page. */
export function DownloadButton({ label, name, content }: DownloadButtonProps) {
  return (
    <Button size="sm" icon={<Download aria-hidden />} onClick={() => download(name, content())}>
      {label}
    </Button>
  );
}
