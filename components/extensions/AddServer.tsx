'use client';

import { Plug } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Button } from '#components/ui/Button.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';

const ServersDialog = lazyPart(async () => (await import('./ServersDialog.tsx')).ServersDialog);

/** `?add=server` opens it. */
export function AddServer() {
  const mayEdit = useMay('extensions.edit');
  const [added, setAdded] = useQueryState('add', parseAsStringLiteral(['server']));
  if (!mayEdit) return null;
  return (
    <>
      <Button icon={<Plug aria-hidden />} onClick={() => void setAdded('server')}>
        Add MCP server
      </Button>
      {added === null ? null : <ServersDialog onClose={() => void setAdded(null)} />}
    </>
  );
}
