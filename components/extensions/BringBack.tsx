'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const UndoDialog = lazyPart(async () => (await import('./UndoDialog.tsx')).UndoDialog);

/** Enough to find the last one in which it still stood. */
const VERSIONS_LOOKED_AT = 5;

/** The way back to an extension that was removed: its files as they were. Nothing, where there never was one or one may not write. */
export function BringBack({ id }: { id: string }) {
  const mayEdit = useMay('extensions.edit');
  const { data } = useInfiniteQuery({ ...queries.snapshots(VERSIONS_LOOKED_AT, id), enabled: mayEdit });
  const [isOpen, setOpen] = useState(false);
  const last = data?.pages
    .flatMap(({ snapshots }) => snapshots)
    .flatMap(({ extensions }) => extensions)
    .find((member) => member.id === id);
  const revision = last?.serving_revision ?? last?.revision ?? null;
  if (!mayEdit || revision === null) return null;
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        Bring it back…
      </Button>
      {isOpen ? <UndoDialog id={id} revision={revision} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
