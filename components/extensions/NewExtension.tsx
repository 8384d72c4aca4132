'use client';

import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const NewExtensionDialog = lazyPart(async () => (await import('./NewExtensionDialog.tsx')).NewExtensionDialog);

export function NewExtension() {
  const mayEdit = useMay('extensions.edit');
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  if (isOpen && !isUsed) setUsed(true);
  if (!mayEdit) return null;
  return (
    <>
      <Button variant="primary" icon={<Plus />} onClick={() => setOpen(true)}>
        New extension
      </Button>
      {isUsed ? <NewExtensionDialog open={isOpen} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
