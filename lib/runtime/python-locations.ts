import type { RawDescription, RawFailure } from './runtime.ts';

/** The failure with the line that the child found for this part of the exports, or for its nearest ancestor. */
export function locateInPython(failure: RawFailure, { places }: RawDescription): RawFailure {
  if (failure.line !== undefined || failure.subject === undefined || places === undefined) return failure;
  for (let length = failure.subject.length; length > 0; length -= 1) {
    const place = places[failure.subject.slice(0, length).join('/')];
    if (place !== undefined) return { ...failure, line: place[0], column: place[1] };
  }
  return failure;
}
