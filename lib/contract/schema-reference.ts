type Schema = Readonly<Record<string, unknown>>;

/** Resolves a local reference; null for external or dangling ones. */
export function referenced(root: Schema, reference: string): Schema | null {
  const own = typeof root['$id'] === 'string' && root['$id'] !== '' && reference.startsWith(`${root['$id']}#`) ? root['$id'].length : 0;
  if (reference.charAt(own) !== '#') return null;
  let at: unknown = root;
  let parts: string[];
  try {
    parts = decodeURIComponent(reference.slice(own + 1)).split('/');
  } catch {
    return null;
  }
  const anchor = parts.shift() ?? '';
  if (anchor !== '') return anchored(root, anchor);
  for (const part of parts) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return null;
    at = Reflect.get(at, key);
  }
  return isSchema(at) ? at : null;
}

function anchored(root: Schema, anchor: string): Schema | null {
  const named = [root['$defs'], root['definitions']].filter(isSchema).flatMap((parts) => Object.values(parts).filter(isSchema));
  return named.find((node) => node['$anchor'] === anchor || node['$dynamicAnchor'] === anchor || node['$id'] === `#${anchor}`) ?? null;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
