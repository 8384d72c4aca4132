'use client';

import { useQuery } from '@tanstack/react-query';
import { PencilLine, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { serverQuery, useRemoveServer } from '#lib/client/server-list-queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ServerForm } from './ServerForm.tsx';

export function ServerActions({ name, file }: { name: string; file: string }) {
  const router = useRouter();
  const remove = useRemoveServer();
  const [isEditing, setEditing] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  return (
    <>
      <Button icon={<PencilLine />} onClick={() => setEditing(true)}>
        Edit server
      </Button>
      <Button icon={<Trash2 />} onClick={() => setIsConfirming(true)}>
        Remove
      </Button>
      {isEditing ? <EditDialog name={name} file={file} onClose={() => setEditing(false)} /> : null}
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Remove ${name}?`}
        description={`Its entry is removed from ${file}, and its tools are withdrawn. Its secrets stay.`}
        confirm="Remove"
        danger
        onConfirm={async () => {
          await remove.mutateAsync(name);
          router.push(PAGES.extensions);
        }}
      />
    </>
  );
}

function EditDialog({ name, file, onClose }: { name: string; file: string; onClose: () => void }) {
  const { data, error, refetch, isFetching } = useQuery(serverQuery(name));
  return (
    <Dialog wide onClose={onClose} title={`Edit ${name}`} description={`Saved in ${file}.`}>
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the server" lines={6} />
      ) : (
        <ServerForm key={data.file} server={data} onDone={onClose} />
      )}
    </Dialog>
  );
}
