'use client';

import type * as SonnerLibrary from 'sonner';
import { Suspense, useEffect, useState } from 'react';
import { lazyWith } from './lazy-part.tsx';
import { StateIcon, type StateName } from './Badge.tsx';

interface Message {
  readonly id: number;
  readonly state: StateName;
  readonly text: string;
}

const LASTS_MS = 6_000;
const MAX_TOASTS = 3;

let lastId = 0;
const listeners = new Set<(message: Message) => void>();

/** A short notification; the information must also be on the page. */
export function toast(state: StateName, text: string): void {
  lastId += 1;
  for (const listener of listeners) listener({ id: lastId, state, text });
}

/** After copying from a menu, which closes. */
export function toastCopied(isCopied: boolean, text: string): void {
  if (isCopied) toast('succeeded', text);
  else toast('failed', 'The browser refused to copy. Allow this page to use the clipboard.');
}

const Messages = lazyWith<typeof SonnerLibrary, { first: Message }>(() => import('sonner'), ShownMessages);

/** Sonner loads with the first message. */
export function Toaster() {
  const [first, setFirst] = useState<Message | null>(null);
  useEffect(() => {
    if (first !== null) return undefined;
    listeners.add(setFirst);
    return () => void listeners.delete(setFirst);
  }, [first]);
  return first === null ? null : (
    <Suspense fallback={null}>
      <Messages first={first} />
    </Suspense>
  );
}

function ShownMessages({ library: { toast: show, Toaster: Sonner }, first }: { library: typeof SonnerLibrary; first: Message }) {
  useEffect(() => {
    function add({ id, state, text }: Message) {
      show(<span className="foreign line-clamp-4">{text}</span>, { id, icon: <StateIcon state={state} className="size-3.5" /> });
    }
    add(first);
    listeners.add(add);
    return () => void listeners.delete(add);
  }, [first, show]);

  return (
    <Sonner
      position="bottom-right"
      visibleToasts={MAX_TOASTS}
      duration={LASTS_MS}
      closeButton
      containerAriaLabel="Messages"
      mobileOffset={{ bottom: '5rem' }}
      toastOptions={{
        unstyled: true,
        closeButtonAriaLabel: 'Dismiss',
        classNames: {
          toast: 'flex w-80 max-w-[calc(100vw-2rem)] items-start gap-2 rounded border bg-raised py-2 pr-1 pl-3 text-base shadow-overlay',
          icon: 'mt-1',
          content: 'min-w-0 flex-1 pt-1',
          closeButton: 'order-last inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-fg',
        },
      }}
    />
  );
}
