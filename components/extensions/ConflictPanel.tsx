'use client';

import { GitMerge } from 'lucide-react';
import { useState } from 'react';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { useSettleConflict } from '#lib/client/mutations.ts';
import type { ConflictChoice, ExtensionConflict } from '#lib/contract/extension.ts';

type Keep = ConflictChoice['keep'];

/** A file that two instances changed from the same base. Both versions are kept until a person chooses one. */
export function ConflictPanel({ conflict }: { conflict: ExtensionConflict }) {
  const { id, path, serving, other } = conflict;
  const otherSave = { instance: conflict.instance, actor: conflict.actor, time: conflict.saved_at };
  const mayChoose = useMay('extensions.edit');
  const settle = useSettleConflict(id);
  const [keep, setKeep] = useState<Keep>('serving');
  const [isConfirming, setIsConfirming] = useState(false);

  function ask(next: Keep) {
    setKeep(next);
    setIsConfirming(true);
  }

  return (
    <section aria-label={`Conflict in ${path}`} className="flex min-w-0 flex-col gap-3 rounded border border-degraded/45 bg-panel p-4">
      <header className="flex items-start gap-3">
        <GitMerge className="h-lh w-4 shrink-0 text-degraded" />
        <div className="min-w-0">
          <h2 className="font-semibold break-words text-degraded">
            Conflict in <code className="break-all">{path}</code>
          </h2>
          <p className="max-w-prose">
            Two saves of this file began from the same version. The first is served; the other is stored until you choose.
          </p>
        </div>
      </header>
      <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <Version
          mark="−"
          name="Served now, saved"
          save={{ instance: conflict.serving_instance, actor: conflict.serving_actor, time: conflict.serving_saved_at }}
          text={serving}
          copyLabel="Copy the served version"
        />
        <Version mark="+" name="Other, saved" save={otherSave} text={other} copyLabel="Copy the other version" />
      </ul>
      <DiffView
        before={serving ?? ''}
        after={other ?? ''}
        beforeName="served now"
        afterName={`saved ${otherSave.actor === null ? '' : `by ${otherSave.actor} `}on ${otherSave.instance}`}
        label={`Both versions of ${path}`}
        same="Both have the same text."
      />
      {mayChoose ? (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => ask('serving')}>Keep served version</Button>
          <Button onClick={() => ask('other')}>Use other version</Button>
        </div>
      ) : (
        <p className="text-sm text-muted">Someone who may edit extensions can choose.</p>
      )}
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        {...(keep === 'serving'
          ? {
              title: (
                <>
                  Discard the version saved <Where save={otherSave} />?
                </>
              ),
              description: `${path} stays as it is served on all instances. The other version is deleted; copy it first to keep it.`,
              confirm: 'Discard other version',
            }
          : {
              title: (
                <>
                  Serve the version saved <Where save={otherSave} />?
                </>
              ),
              description:
                other === null
                  ? `${path} is removed on all instances. Its text stays in the revisions.`
                  : `It replaces ${path} on all instances and is loaded like any save. The served text stays in the revisions.`,
              confirm: 'Use other version',
            })}
        danger={keep === 'serving' || other === null}
        onConfirm={() => settle.mutateAsync({ keep })}
      />
    </section>
  );
}

/** The person is known only for saves in the browser and by agents. */
interface Save {
  readonly instance: string;
  readonly actor: string | null;
  readonly time: string;
}

function Where({ save: { instance, actor } }: { save: Save }) {
  return (
    <>
      {actor === null ? null : (
        <>
          by <bdi className="font-medium break-all">{actor}</bdi>{' '}
        </>
      )}
      on <code className="break-all">{instance}</code>
    </>
  );
}

interface VersionProps {
  mark: string;
  name: string;
  save: Save;
  text: string | null;
  copyLabel: string;
}

function Version({ mark, name, save, text, copyLabel }: VersionProps) {
  return (
    <li className="flex min-w-0 items-center gap-1">
      <span aria-hidden className="font-mono text-muted">
        {mark}
      </span>
      <span className="min-w-0 break-all">
        {name} <Where save={save} /> <RelativeTime time={save.time} />
        {text === null ? <span className="text-muted"> (file removed)</span> : null}
      </span>
      {text === null ? null : <CopyButton text={text} label={copyLabel} className="size-6" />}
    </li>
  );
}
