'use client';

import { useParams } from 'next/navigation';
import { ExtensionDetail } from './ExtensionDetail.tsx';

/** The page of an extension that is not there yet: it fills itself as soon as it is. */
export function AbsentExtension() {
  const { id } = useParams<{ id: string }>();
  return <ExtensionDetail id={decode(id)} />;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
