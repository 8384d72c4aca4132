/** A part of an address without its encoding; as it is if that is invalid. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
