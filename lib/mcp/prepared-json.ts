/**
 * Lists with cached JSON. The SDK passes the list object on unchanged, by which its JSON is found. If it copied the object,
 * responses would still be correct, only slower.
 */
export interface PreparedList {
  readonly list: readonly unknown[];
  readonly json: Uint8Array;
}

const prepared = new WeakMap<readonly unknown[], Uint8Array>();

export function prepareList(list: readonly unknown[]): PreparedList {
  const json = Buffer.from(JSON.stringify(list));
  prepared.set(list, json);
  return { list, json };
}

export function preparedJson(list: readonly unknown[]): Uint8Array | undefined {
  return prepared.get(list);
}
