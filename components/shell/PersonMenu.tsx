'use client';

import { CircleUser } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const NameForm = lazyPart(async () => (await import('./NameForm.tsx')).NameForm);
const TeamPersonMenu = lazyPart(async () => (await import('./TeamPerson.tsx')).TeamPersonMenu);

/** The signed-in member, else the name for calls and changes. */
export function PersonMenu() {
  const { view } = useSession();
  return view.person === null ? <NameMenu /> : <TeamPersonMenu person={view.person} />;
}

function NameMenu() {
  const name = usePersonName();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Who you are"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <IconButton label={name === null ? 'Say who you are' : `You are ${name}`}>
          <CircleUser aria-hidden />
        </IconButton>
      }
    >
      <NameForm takesFocus name={name} onDone={() => setOpen(false)} />
    </Popover>
  );
}
