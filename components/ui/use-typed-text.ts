import { useEffect, useState } from 'react';

const QUIET_MS = 1_000;

export interface TypedText {
  /** What is to stand in the field. */
  readonly text: string;
  readonly type: (text: string) => void;
  /** Nobody types any more: what the page says stands there at once. */
  readonly leave: () => void;
}

interface Typed {
  readonly text: string;
  /** What the page said when the typing began, and all that was told it since: such an answer may be late. */
  readonly told: ReadonlySet<string>;
}

/**
 * The text of a field whose value goes through the address and comes back from there. It may come back late, when more was typed:
 * the field keeps what was typed meanwhile. Anything else that comes, Back, and quiet for a second have it say what the page says.
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
