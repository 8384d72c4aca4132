'use client';

import { FlaskConical } from 'lucide-react';
import { useId, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Input, Textarea } from '#components/ui/Field.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { useInjectMessage } from '#lib/client/mutations.ts';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { FollowMessage } from './FollowMessage.tsx';

export interface InjectTestProps {
  channel: Channel;
  /** The test message that is followed; kept by the page, so that closing a sheet does not lose it. */
  followed: Message | null;
  onInjected: (message: Message) => void;
}

/** Takes a text as if the channel had received it, and shows what becomes of it. */
export function InjectTest({ channel, followed, onInjected }: InjectTestProps) {
  const inject = useInjectMessage(channel.name);
  const [sender, setSender] = useState('');
  const [text, setText] = useState('/help');
  const id = useId();
  const tooLong = text.length > LIMITS.messageTextLength;
  const ready = text.trim() !== '' && !tooLong;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!ready || inject.isPending) return;
    inject.mutate({ text, ...(sender.trim() === '' ? {} : { sender: sender.trim() }) }, { onSuccess: onInjected });
  }

  return (
    <div className="flex min-w-0 flex-col">
      <form aria-label="Inject a test message" onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          It is taken as if the channel had received it. A command in it is really run, and its answer really sent.
        </p>
        <Field id={`${id}-sender`} label="As whom">
          <Input
            id={`${id}-sender`}
            autoComplete="off"
            placeholder="a test"
            value={sender}
            onChange={(event) => setSender(event.target.value)}
          />
        </Field>
        <Field
          id={`${id}-text`}
          label="Text"
          error={tooLong ? `At most ${LIMITS.messageTextLength.toLocaleString('en')} characters can be kept. Shorten it.` : null}
        >
          <Textarea
            id={`${id}-text`}
            rows={2}
            value={text}
            aria-invalid={tooLong}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (pressedKey(event) === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
            }}
            className="field-sizing-content max-h-40 min-h-14 font-mono text-sm"
          />
        </Field>
        <Button type="submit" icon={<FlaskConical aria-hidden />} pending={inject.isPending} aria-disabled={!ready} className="self-start">
          Inject a test message
        </Button>
        {inject.isError ? <ProblemLine>Not injected: {messageOf(inject.error)}</ProblemLine> : null}
      </form>
      {followed === null ? null : (
        <div className="mt-4 border-t pt-4">
          <FollowMessage key={followed.id} channel={channel} message={followed} />
        </div>
      )}
    </div>
  );
}
