/**
 * Lists that are sent to many, with their JSON. The official package passes a list on as the object that it was
 * given, and by that it is known again. Were it to pass on a copy, an answer would be as right and take longer.
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
