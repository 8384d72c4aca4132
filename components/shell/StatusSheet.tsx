'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Button } from '#components/ui/Button.tsx';
import { Sheet } from '#components/ui/Dialog.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { queries } from '#lib/client/queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { causeInWords } from '#lib/client/snapshot-words.ts';
import { Changes } from './ChangeList.tsx';
import { ConnectionBadge } from './ConnectionBadge.tsx';
import { NameForm } from './NameForm.tsx';
import { shellState, useOverlay } from './shell-state.ts';
import { WATCH_WORDS, watchInWords } from './WatchBadge.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const TeamPersonCard = lazyPart(async () => (await import('./TeamPerson.tsx')).TeamPersonCard);

export function StatusSheet() {
  const { open, close } = useOverlay('status');
  return (
    <Sheet open={open} onClose={close} title="State of the server">
      <ServerStatus />
    </Sheet>
  );
}

function ServerStatus() {
  const extensions = useQuery(queries.extensions());
  const snapshots = useInfiniteQuery(queries.snapshots());
  const name = usePersonName();
  const signedIn = useSession().view.person;
  const last = snapshots.data?.pages[0]?.snapshots[0];
  return (
    <div className="flex flex-col gap-6">
      <Section title="Connection">
        <div>
          <ConnectionBadge />
        </div>
      </Section>
      {extensions.data === undefined ? null : (
        <Section title={WATCH_WORDS[extensions.data.watch.mode].word}>
          <p className="text-muted">{watchInWords(extensions.data.watch)}</p>
        </Section>
      )}
      {last === undefined ? null : (
        <Section title={`Version ${last.version}`} note={<RelativeTime time={last.created_at} />}>
          <p className="text-muted first-letter:uppercase">{causeInWords(last)}</p>
          <Changes snapshot={last} />
        </Section>
      )}
      {signedIn === null ? (
        <div className="-mx-3 border-t">
          <NameForm key={name} name={name} onDone={() => toast('ready', 'Your name is saved.')} />
        </div>
      ) : (
        <div className="border-t pt-4">
          <TeamPersonCard person={signedIn} />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => shellState.show('connect')}>Connect an agent</Button>
        <Button onClick={() => shellState.show('keys')}>Show keyboard shortcuts</Button>
      </div>
    </div>
  );
}
