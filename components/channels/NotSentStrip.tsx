'use client';

import { CircleX } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import type { Message } from '#lib/contract/channel.ts';

export interface NotSentStripProps {
  count: number;
  /** Shows the newest message that fits; false when there is none. */
  goTo: (fits: (message: Message) => boolean) => Promise<boolean>;
}

/** Over the conversation while messages in it were given up: leads from one to the next, however far back they are. */
export function NotSentStrip({ count, goTo }: NotSentStripProps) {
  const visited = useRef(new Set<string>());
  const [pending, setPending] = useState(false);

  function next(): Promise<boolean> {
    return goTo((message) => {
      if (message.state !== 'failed' || visited.current.has(message.id)) return false;
      visited.current.add(message.id);
      return true;
    });
  }

  async function show() {
    setPending(true);
    try {
      if (await next()) return;
      visited.current.clear();
      await next();
    } finally {
      setPending(false);
    }
  }

  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-failed-soft px-4 py-1.5 text-sm">
      <span className="flex min-w-0 flex-1 items-center gap-2 text-failed">
        <CircleX aria-hidden className="size-4 shrink-0" />
        {count} {count === 1 ? 'message' : 'messages'} could not be sent
      </span>
      <Button size="sm" pending={pending} onClick={() => void show()}>
        {count === 1 ? 'Show it' : 'Show the next'}
      </Button>
    </div>
  );
}
