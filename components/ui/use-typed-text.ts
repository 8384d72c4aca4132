import { useEffect, useState } from 'react';

const QUIET_MS = 1_000;

export interface TypedText {
  /** Text of the field. */
  readonly text: string;
  readonly type: (text: string) => void;
  /** Ends typing: the field shows the page's value immediately. */
  readonly leave: () => void;
}

interface Typed {
  readonly text: string;
  /** The page's value when typing began, and all values since: a late one is not an external change. */
  readonly told: ReadonlySet<string>;
}

/**
 * Text of a field whose value is stored in the URL. The URL may update late, after more was typed: the field keeps the newer
 * text. External changes, Back, and a second without typing reset it to the URL's value.
 */
export function useTypedText(value: string, onChange: (text: string) => void): TypedText {
  const [typed, setTyped] = useState<Typed | null>(null);
  const own = typed?.told.has(value) === true ? typed : null;

  useEffect(() => {
    if (typed === null) return;
    const leave = (): void => setTyped(null);
    const quiet = setTimeout(leave, QUIET_MS);
    window.addEventListener('popstate', leave);
    return () => {
      clearTimeout(quiet);
      window.removeEventListener('popstate', leave);
    };
  }, [typed, value]);

  return {
    text: own?.text ?? value,
    type(text) {
      setTyped({ text, told: new Set([...(own?.told ?? [value]), text]) });
      onChange(text);
    },
    leave: () => setTyped(null),
  };
}
