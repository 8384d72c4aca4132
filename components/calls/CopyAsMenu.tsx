'use client';

import { Code } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { toast } from '#components/ui/Toast.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { COPY_FORMS } from './copy-as.ts';
import type { CallToCopy } from './copy-as.ts';

/** Takes a call along as a command, a request or a piece of code; secrets stay here. */
export function CopyAsMenu({ call, compact = false }: { call: Omit<CallToCopy, 'origin'>; compact?: boolean }) {
  const needsToken = useSession().view.mode === 'team';

  async function copy(label: string, write: (call: CallToCopy) => string) {
    try {
      await navigator.clipboard.writeText(write({ ...call, origin: window.location.origin, needsToken }));
      toast('succeeded', `Copied: ${label}. Secrets are left out${needsToken ? '; put a token in its place' : ''}.`);
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
      {COPY_FORMS.map(({ id, label, write }) => (
        <MenuItem key={id} onSelect={() => void copy(label, write)}>
          {label}
        </MenuItem>
      ))}
    </DropdownMenu>
  );
}
