import { Fragment } from 'react';

/** A sentence in which `backticks` mark code; everything else stays the text it is. */
export function CodeText({ text }: { text: string }) {
  const parts = text.split('`');
  // An unpaired backtick is only a character.
  if (parts.length % 2 === 0) return text;
  let at = 0;
  return parts.map((part, index) => {
    const key = at;
    at += part.length + 1;
    return index % 2 === 0 ? (
      <Fragment key={key}>{part}</Fragment>
    ) : (
      <code key={key} className="rounded-sm bg-hover px-1 text-[0.92em]">
        {part}
      </code>
    );
  });
}
