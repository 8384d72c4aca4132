'use client';

import { Code } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { COPY_FORMS, holdsSecrets } from './copy-as.ts';
import type { CallToCopy } from './copy-as.ts';

/** Takes a call along as a command, a request or a piece of code; secrets stay here. */
export function CopyAsMenu({ call, compact = false }: { call: Omit<CallToCopy, 'origin'>; compact?: boolean }) {
  const needsToken = useSession().view.mode === 'team';

  async function copy({ id, label, write }: (typeof COPY_FORMS)[number]) {
    try {
      await navigator.clipboard.writeText(write({ ...call, origin: window.location.origin, needsToken }));
      const missing = [...(holdsSecrets(call) ? ['the secrets'] : []), ...(needsToken && id !== 'mcp' ? ['a token'] : [])];
      toast('succeeded', `Copied: ${label}.${missing.length === 0 ? '' : ` Put ${missing.join(' and ')} in where <…> stands.`}`);
    } catch {
      toast('failed', 'The browser refused to copy. Allow this page to use the clipboard.');
    }
  }

  return (
    <DropdownMenu
      trigger={
        compact ? (
          <IconButton label="Copy as" data-copy-as>
            <Code aria-hidden />
          </IconButton>
        ) : (
          <Button size="sm" icon={<Code aria-hidden />} data-copy-as>
            Copy as
          </Button>
        )
      }
    >
      {COPY_FORMS.map((form) => (
        <MenuItem key={form.id} onSelect={() => void copy(form)}>
          {form.label}
        </MenuItem>
      ))}
    </DropdownMenu>
  );
}
