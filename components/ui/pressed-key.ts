/** Common part of keydown events of React and the DOM. */
interface KeyPress {
  readonly key: string;
  readonly keyCode: number;
  readonly isComposing?: boolean;
  readonly nativeEvent?: { readonly isComposing: boolean };
}

/** Key code for input method events. */
const TAKEN_BY_INPUT_METHOD = 229;

/**
 * The pressed key, or '' during composition: there Enter accepts a candidate and Escape dismisses it. Safari ends the
 * composition before the keydown of that Enter, so only its key code identifies it.
 */
export function pressedKey(event: KeyPress): string {
  const isComposing = event.isComposing ?? event.nativeEvent?.isComposing ?? false;
  return isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD ? '' : event.key;
}

/** For `onEscapeKeyDown` of Radix, which would close on an Escape meant for the input method. */
export function keepOpenWhileComposing(event: KeyboardEvent): void {
  if (pressedKey(event) !== 'Escape') event.preventDefault();
}
