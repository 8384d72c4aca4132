/** What keydown events of React and of the document have in common. */
interface KeyPress {
  readonly key: string;
  readonly keyCode: number;
  readonly isComposing?: boolean;
  readonly nativeEvent?: { readonly isComposing: boolean };
}

/** The key code of a key that an input method takes. */
const TAKEN_BY_INPUT_METHOD = 229;

/**
 * The key that was pressed, or an empty text where an input method takes it: Enter then accepts a candidate and Escape drops it.
 * Safari ends the composition before the keydown of that Enter, which only its key code still tells.
 */
export function pressedKey(event: KeyPress): string {
  const isComposing = event.isComposing ?? event.nativeEvent?.isComposing ?? false;
  return isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD ? '' : event.key;
}

/** For `onEscapeKeyDown` of Radix, which closes at an Escape that was meant for the input method. */
export function keepOpenWhileComposing(event: KeyboardEvent): void {
  if (pressedKey(event) !== 'Escape') event.preventDefault();
}
