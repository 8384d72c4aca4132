'use client';

import { useMutation } from '@tanstack/react-query';
import { LogOut, UserRound } from 'lucide-react';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { Initials } from '#components/ui/icons.tsx';
import { Popover, PopoverClose } from '#components/ui/Popover.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { useSignOut } from '#lib/client/session-end.ts';
import type { Person } from '#lib/contract/account.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function TeamPersonMenu({ person }: { person: Person }) {
  return (
    <Popover
      label="Who you are"
      className="w-72"
      trigger={
        <button type="button" className="relative inline-flex size-8 items-center justify-center rounded-full hover:brightness-95">
          <Initials letters={person.initials} />
          <span className="sr-only">
            You are {person.name}, {ROLE_WORDS[person.role].name.toLowerCase()}
          </span>
        </button>
      }
    >
      <div className="p-3">
        <TeamPersonCard person={person} inPopover />
      </div>
    </Popover>
  );
}

/** Also in the sheet of narrow windows. */
export function TeamPersonCard({ person, inPopover = false }: { person: Person; inPopover?: boolean }) {
  const { name, may, warning } = ROLE_WORDS[person.role];
  const signOut = useSignOut();
  const { mutate: leave, isPending, isSuccess, error } = useMutation({ mutationFn: () => signOut('here') });
  // The page of the sign-in is being loaded.
  const isLeaving = isPending || isSuccess;
  const toProfile = (
    <LinkButton size="sm" href={PAGES.profile} icon={<UserRound />}>
      Profile
    </LinkButton>
  );
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex min-w-0 items-center gap-3">
        <Initials letters={person.initials} size="lg" />
        <div className="flex min-w-0 flex-col">
          <bdi className="truncate font-semibold" title={person.name}>
            {person.name}
          </bdi>
          <span className="truncate text-sm text-muted" title={person.email}>
            {person.email}
          </span>
        </div>
      </div>
      <p className="text-sm text-muted">
        <span className="font-medium text-fg">{name}.</span> {may} {warning}
      </p>
      <div className="flex flex-wrap gap-2">
        {inPopover ? <PopoverClose asChild>{toProfile}</PopoverClose> : toProfile}
        <Button size="sm" icon={<LogOut />} pending={isLeaving} onClick={() => leave()}>
          {isLeaving ? 'Signing out…' : 'Sign out'}
        </Button>
      </div>
      <ProblemLine error={error} />
    </div>
  );
}
