'use client';

import { AtSign, CircleCheck, CircleDot, GitMerge, RotateCcw, Split, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Form, Textarea } from '#components/ui/Field.tsx';
import { RelativeTime, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { textDrafts, useTextDraft } from '#components/ui/text-drafts.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { useCommentFailure } from '#lib/client/failure-mutations.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import type { FailureGroupDetail, GroupActivity, GroupComment, Mention } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { splitMentions } from '#lib/contract/mentions.ts';
import { activityInWords } from './review-words.ts';
import { useReview } from './ReviewProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const Markdown = lazyPart(async () => (await import('#components/ui/Markdown.tsx')).Markdown);
const MentionField = lazyPart(
  async () => (await import('./MemberPicker.tsx')).MentionField,
  <Textarea aria-label="Comment" rows={3} disabled />,
);

const SHOWN_FIRST = 30;

export function Conversation({ group, onWriting }: { group: FailureGroupDetail; onWriting: (isWriting: boolean) => void }) {
  const { isOffered } = useReview();
  const [all, setAll] = useState(false);
  const entries = [
    ...group.activity.map((each) => ({ id: each.id, at: each.created_at, shown: <ActivityLine activity={each} /> })),
    ...group.comments.map((each) => ({ id: each.id, at: each.created_at, shown: <CommentBox comment={each} /> })),
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const hidden = all ? 0 : Math.max(0, entries.length - SHOWN_FIRST);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {hidden === 0 ? null : (
        <Button size="sm" variant="quiet" onClick={() => setAll(true)} className="self-start text-muted">
          Show {hidden} older {hidden === 1 ? 'entry' : 'entries'}
        </Button>
      )}
      <ol aria-label="Activity" className="flex min-w-0 flex-col gap-3">
        {entries.slice(hidden).map((entry) => (
          <li key={entry.id} className="min-w-0">
            {entry.shown}
          </li>
        ))}
      </ol>
      {isOffered ? <CommentForm group={group} onWriting={onWriting} /> : null}
    </div>
  );
}

const ICONS: Partial<Record<GroupActivity['kind'], typeof CircleDot>> = {
  resolved: CircleCheck,
  regressed: RotateCcw,
  assigned: UserRound,
  mentioned: AtSign,
  merged: GitMerge,
  split: Split,
};

function ActivityLine({ activity }: { activity: GroupActivity }) {
  const Icon = ICONS[activity.kind] ?? CircleDot;
  const { clock } = useTimeZone();
  return (
    <p className="flex min-w-0 items-start gap-2 text-sm">
      <Icon className="h-lh w-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 break-words">
        {activityInWords(activity, clock)}
        <span className="text-muted">
          {' · '}
          <RelativeTime time={activity.created_at} />
        </span>
      </span>
    </p>
  );
}

function CommentBox({ comment }: { comment: GroupComment }) {
  return (
    <article className="min-w-0 rounded border">
      <header className="flex gap-2 border-b bg-subtle px-3 py-1 text-sm">
        <strong className="min-w-0 truncate font-semibold">{comment.actor ?? 'Somebody'}</strong>
        <RelativeTime time={comment.created_at} className="text-muted" />
      </header>
      <Markdown
        text={comment.text}
        drawWords={comment.mentions === undefined ? undefined : mentionsDrawn(comment.mentions)}
        className="px-3 py-2"
      />
    </article>
  );
}

/** Highlights only names that were mentioned when the comment was written. */
function mentionsDrawn(mentions: readonly Mention[]): (words: string) => ReactNode {
  const names = mentions.map(({ name }) => name);
  return (words) =>
    splitMentions(words, names).map(({ text, isMention, at }) =>
      isMention ? (
        <strong key={at} className="rounded-sm bg-accent-soft px-0.5 font-medium">
          {text}
        </strong>
      ) : (
        text
      ),
    );
}

function CommentForm({ group, onWriting }: { group: FailureGroupDetail; onWriting: (isWriting: boolean) => void }) {
  const isTeam = useSession().view.mode === 'team';
  const key = `comment:${group.id}`;
  const [text, keepText] = useTextDraft(key);
  const review = useReview();
  const { mutateAsync, isPending, error } = useCommentFailure(group.id);

  function setText(next: string) {
    keepText(next);
    onWriting(next.trim() !== '');
  }

  function send() {
    const comment = text.trim();
    if (comment === '' || isPending) return;
    // Also after leaving the page: a sent comment must not be a draft again.
    const settle = () => {
      textDrafts.settle(key, text);
      onWriting(textDrafts.read(key) !== null);
    };
    review.named(() => void mutateAsync(comment).then(settle, () => undefined));
  }

  const field = {
    value: text,
    rows: 3,
    maxLength: LIMITS.commentLength,
    onKeyDown: (event: KeyboardEvent) => {
      if (pressedKey(event) !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      send();
    },
  };

  return (
    <Form className="flex min-w-0 flex-col gap-2" onSubmit={send}>
      <Field
        label="Comment"
        description={`Markdown. ${isTeam ? '@ mentions a member. ' : ''}Ctrl or ⌘ and Enter sends it.`}
        error={error === null ? null : messageOf(error)}
      >
        {isTeam ? <MentionField {...field} onText={setText} /> : <Textarea {...field} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <Button type="submit" size="sm" pending={isPending} aria-disabled={text.trim() === ''} className="self-end">
        Comment
      </Button>
    </Form>
  );
}
