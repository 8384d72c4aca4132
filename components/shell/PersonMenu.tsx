'use client';

import { CircleUser } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useId, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { person } from '#lib/client/person.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';

const TeamPersonMenu = dynamic(async () => (await import('./TeamPerson.tsx')).TeamPersonMenu);

/** Who sits here: of a team who is signed in, else the name that calls and changes made here are recorded under. */
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
      <NameForm name={name} onDone={() => setOpen(false)} />
    </Popover>
  );
}

/** The form of it, also used in the sheet of a narrow window. */
export function NameForm({ name, onDone }: { name: string | null; onDone: () => void }) {
  const [draft, setDraft] = useState(name ?? '');
  const id = useId();
  return (
    <form
      className="flex flex-col gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        person.setName(draft);
        onDone();
      }}
    >
      <Field id={id} label="Your name" description="Calls and changes you make here are recorded under it. Kept in this browser.">
        <Input
          id={id}
          value={draft}
          maxLength={64}
          autoComplete="nickname"
          onChange={(event) => setDraft(event.target.value)}
          aria-describedby={`${id}-description`}
        />
      </Field>
      <Button type="submit" variant="primary" size="sm" className="self-end">
        Save
      </Button>
    </form>
  );
}
