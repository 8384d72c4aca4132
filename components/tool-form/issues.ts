import { sameJson } from './same-json.ts';
import { isWithin, valueAt } from './pointer.ts';

/** Something that is wrong with a part of the arguments. `path` is a JSON Pointer. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export type IssueMap = ReadonlyMap<string, readonly string[]>;

export function byPath(issues: readonly Issue[]): IssueMap {
  const map = new Map<string, string[]>();
  for (const { path, message } of issues) {
    const present = map.get(path);
    if (present === undefined) map.set(path, [message]);
    else if (!present.includes(message)) present.push(message);
  }
  return map;
}

/** What the server said of the arguments it got, as far as those parts have not been changed since. */
export function stillTrue(issues: readonly Issue[], sent: unknown, now: unknown): readonly Issue[] {
  return issues.filter((issue) => sameJson(valueAt(sent, issue.path), valueAt(now, issue.path)));
}

/** What is wrong inside of a choice that stands open has no field that could say it: there the choice is asked for, and nothing else. */
export function atChoices(issues: readonly Issue[], unchosen: ReadonlyMap<string, string>): readonly Issue[] {
  return issues.map((issue) => {
    const around = [...unchosen].find(([pointer]) => pointer !== issue.path && isWithin(issue.path, pointer));
    return around === undefined ? issue : { path: around[0], message: around[1] };
  });
}

/** The server's words begin in small letters after the name of the field; at the field they stand alone. */
export function asSentence(message: string): string {
  const text = message.trim();
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
