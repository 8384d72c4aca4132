/**
 * One-file tools and channels have a slash in their id (`tools/slugify`), which is two segments in a URL. No extension can be
 * named `tools` or `channels`, so the id is unambiguous.
 */
const ID_IN_TWO = /^((?:\/api\/v1)?\/extensions\/(?:tools|channels))\/(?=[A-Za-z])/;

/** @param target of a request @returns it with such an id as one segment */
export function withWholeId(target: string): string {
  return target.replace(ID_IN_TWO, '$1%2F');
}
