import { hash } from 'node:crypto';

/**
 * The JSON of lists that are requested far more often than they change. A list is an object that stays the same while its
 * content does; its elements too, so that a change of one of a thousand writes that one again and joins the rest.
 */
export interface ListText {
  readonly body: Uint8Array;
  /** With its quotes. */
  readonly tag: string;
}

const lists = new WeakMap<object, ListText>();
const elements = new WeakMap<object, string>();

export function textOfList(list: object): ListText {
  const known = lists.get(list);
  if (known !== undefined) return known;
  const fields = Object.entries(list).flatMap(([name, value]: readonly [string, unknown]) => {
    const text = Array.isArray(value) ? `[${value.map(textOfElement).join(',')}]` : JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  const body = Buffer.from(`{${fields.join(',')}}`);
  const text = { body, tag: `"${hash('sha256', body, 'base64url')}"` };
  lists.set(list, text);
  return text;
}

function textOfElement(element: unknown): string {
  if (typeof element !== 'object' || element === null) return JSON.stringify(element) ?? 'null';
  const known = elements.get(element);
  if (known !== undefined) return known;
  const text = JSON.stringify(element);
  elements.set(element, text);
  return text;
}

/** Whether the client of a GET has this content: `If-None-Match` of RFC 9110. */
export function hasContent(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag) === true;
}
