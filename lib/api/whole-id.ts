/**
 * One-file tools and channels have a slash in their id (`tools/slugify`). Written into an address as it is, it would be two segments;
 * no extension can be called `tools` or `channels`, so that nothing else can be meant by them.
 */
const ID_IN_TWO = /^((?:\/api\/v1)?\/extensions\/(?:tools|channels))\/(?=[A-Za-z])/;

/** @param target of a request @returns it with such an id as one segment */
export function withWholeId(target: string): string {
  return target.replace(ID_IN_TWO, '$1%2F');
}
