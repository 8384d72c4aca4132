'use client';

import { Ban, PinOff, Play, Power, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PassingButton } from '#components/ui/PassingButton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useExtensionAction } from '#lib/client/mutations.ts';
import type { ExtensionAction } from '#lib/client/mutations.ts';
import { useReload } from '#lib/client/reload-mutations.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { ExtensionDetail } from '#lib/contract/extension.ts';

/** What can be done with an extension, with the outcome in place. */
export function ExtensionActions({ extension }: { extension: ExtensionDetail }) {
  const reload = useReload();
  const action = useExtensionAction(extension.id);
  const [askingToDisable, setAskingToDisable] = useState(false);
  const isOff = extension.state === 'disabled';
  const mayReload = useMay('extensions.reload');
  const mayRestart = useMay('extensions.restart');
  const mayPin = useMay('extensions.pin');
  const maySwitch = useMay('extensions.switch');

  if (extension.state === 'excluded') {
    return (
      <p className="max-w-prose text-muted">
        It is left out by EXTENSION_EXCLUDED_EXTENSIONS (the name “example” always is) and is not run. Take it out of that setting and start
        the server again to use it.
      </p>
    );
  }

  // What to change in the file stands in the place of its description.
  if (extension.disabled_by === 'file') return null;

  function running(name: ExtensionAction['action']): boolean {
    return action.isPending && action.variables.action === name;
  }

  const problem = action.error ?? reload.error;
  if (!mayReload && !mayRestart && !mayPin && !maySwitch) return null;
  return (
    <div className="flex flex-col gap-2">
      <div role="group" aria-label="Actions" tabIndex={-1} className="flex flex-wrap gap-2 rounded max-sm:gap-1.5 max-sm:[&>button]:px-2.5">
        {isOff ? null : (
          <>
            {mayReload ? (
              <Button icon={<RotateCw aria-hidden />} pending={reload.isPending} onClick={() => reload.mutate([extension.id])}>
                Reload this one
              </Button>
            ) : null}
            {mayRestart ? (
              <Button icon={<Power aria-hidden />} pending={running('restart')} onClick={() => action.mutate({ action: 'restart' })}>
                Restart
              </Button>
            ) : null}
            {extension.pinned_revision === null || !mayPin ? null : (
              <PassingButton
                heir="[role=group]"
                icon={<PinOff aria-hidden />}
                pending={running('unpin')}
                onClick={() => action.mutate({ action: 'unpin' })}
              >
                Unpin revision {extension.pinned_revision}
              </PassingButton>
            )}
          </>
        )}
        {/* One button for both ways, so that the focus stays on it when it turns into the other. */}
        {maySwitch ? (
          <Button
            variant={isOff ? 'primary' : 'secondary'}
            icon={isOff ? <Play aria-hidden /> : <Ban aria-hidden />}
            pending={running('enable') || running('disable')}
            onClick={() => (isOff ? action.mutate({ action: 'enable' }) : setAskingToDisable(true))}
          >
            {isOff ? 'Enable' : 'Disable'}
          </Button>
        ) : null}
      </div>
      {problem === null ? null : <ErrorState title="Not done" detail={messageOf(problem)} />}
      <AlertDialog
        open={askingToDisable}
        onOpenChange={setAskingToDisable}
        title={`Disable ${extension.id}?`}
        description={
          extension.tools.length === 0
            ? 'It is not run until somebody enables it again, also after a restart of the server.'
            : `${extension.tools.length === 1 ? 'Its tool is' : `Its ${extension.tools.length} tools are`} unavailable until somebody enables it again, also after a restart of the server. Calls that are under way finish.`
        }
        confirm="Disable"
        danger
        onConfirm={() => action.mutateAsync({ action: 'disable' })}
      />
    </div>
  );
}
