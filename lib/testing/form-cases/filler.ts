/** Fills a form as a person does, in a browser or on the DOM alone. A pointer is the part of the arguments that a field edits. */
export interface Filler {
  /** Replaces the text of a field. */
  type(pointer: string, text: string): Promise<void>;
  /** Types key by key into a field; a key such as `Shift+Enter` is pressed. */
  keys(pointer: string, ...keys: readonly string[]): Promise<void>;
  /** Types key by key where the focus is. */
  keysHere(...keys: readonly string[]): Promise<void>;
  /** Replaces the text of the field with this accessible name. */
  named(role: 'textbox', name: string | RegExp, text: string): Promise<void>;
  /** Chooses an option of a select by its label. */
  pick(pointer: string, label: string): Promise<void>;
  /** Searches in a combobox and chooses a suggestion. */
  suggest(pointer: string, text: string, option: string): Promise<void>;
  /** Checks one of several checkboxes. */
  check(pointer: string, label: string): Promise<void>;
  /** Chooses one of the radio buttons. */
  answer(pointer: string, label: string): Promise<void>;
  /** Chooses the form of a value that may have several. */
  form(name: string, title: string): Promise<void>;
  press(name: string): Promise<void>;
  /** Presses a button inside the group of a field. */
  pressIn(pointer: string, name: string): Promise<void>;
  /** Chooses how a field is sent: "Send null", "Do not send", "Send empty text". */
  send(name: string, how: string): Promise<void>;
  /** Adds an entry with this name to an object. */
  entry(pointer: string, name: string): Promise<void>;
}

export function isKey(text: string): boolean {
  return /^(?:Shift\+)?(?:Enter|Tab)$/.test(text);
}

/** The pointer of an entry of an object. */
export function entryPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
