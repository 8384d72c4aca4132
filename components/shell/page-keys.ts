/** Keys for actions that a page may have. Ignored without the action or under an overlay. */
interface PageKey {
  readonly key: string;
  readonly words: string;
  /** Whether the action ran. */
  act(): boolean;
}

const FIELDS = 'main :is(input, textarea, select, [contenteditable=true])[data-path], main [data-path] input';

export const PAGE_KEYS: readonly PageKey[] = [
  { key: 'f', words: 'Go to the first field of the form', act: () => withFirst(FIELDS, (field) => field.focus()) },
  {
    key: 'c',
    words: 'Copy the call as a command, a request or code',
    act: () => withFirst('main [data-copy-as]', (button) => button.click()),
  },
];

function withFirst(selector: string, act: (found: HTMLElement) => void): boolean {
  if (document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null) return false;
  const found = document.querySelector<HTMLElement>(selector);
  if (found !== null) act(found);
  return found !== null;
}
