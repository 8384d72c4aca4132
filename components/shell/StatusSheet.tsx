'use client';

import { Info } from 'lucide-react';
import { Sheet } from '#components/ui/Dialog.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { useOverlay } from './use-overlay.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const ServerStatus = lazyPart(async () => (await import('./ServerStatus.tsx')).ServerStatus);

/** What the top bar has no room for on a narrow window: connection, version, watching, who you are. */
export function StatusSheet() {
  const [open, setOpen] = useOverlay('status');
  return (
    <>
      <IconButton label="Show the state of the server" onClick={() => setOpen(true)} className="lg:hidden">
        <Info aria-hidden />
      </IconButton>
      <Sheet open={open} onOpenChange={setOpen} title="State of the server">
        {open ? <ServerStatus /> : null}
      </Sheet>
    </>
  );
}
