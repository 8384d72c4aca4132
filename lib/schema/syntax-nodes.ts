/** A node of the syntax tree. */
export type Fields = { readonly type: string } & Readonly<Record<string, unknown>>;

export function keyOf({ key, computed }: Fields): string {
  return isNode(key) && computed !== true ? String(key['name'] ?? key['value']) : '';
}

/** Of a property that is not computed; null if it is no text or number. */
export function keyName(key: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string | null {
  if (key.type === 'Identifier' && typeof key.name === 'string') return key.name;
  return key.type === 'Literal' && (typeof key.value === 'string' || typeof key.value === 'number') ? String(key.value) : null;
}

export function isNode(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function nodesOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function childrenOf(node: Fields): readonly Fields[] {
  const children: Fields[] = [];
  for (const name in node) {
    const value = node[name];
    if (Array.isArray(value)) for (const one of nodesOf(value)) children.push(one);
    else if (isNode(value)) children.push(value);
  }
  return children;
}

const MADE = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ClassDeclaration', 'ClassExpression']);

/** Called or created: a function or a class. */
export function isMade({ type }: Fields): boolean {
  return MADE.has(type);
}

export function isNamed(node: unknown, name: RegExp): boolean {
  return isNode(node) && node.type === 'Identifier' && name.test(String(node['name']));
}

export function isAccess({ type }: Fields): boolean {
  return type === 'MemberExpression' || type === 'ChainExpression';
}

export function methodName(access: Fields): string {
  const property = access['property'];
  return isNode(property) && access['computed'] !== true ? String(property['name']) : '';
}

/** Names that a pattern declares. */
export function namesIn(pattern: unknown): readonly string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [String(pattern['name'])];
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern['left']);
  if (pattern.type === 'Property') return namesIn(pattern['value']);
  if (pattern.type === 'RestElement') return namesIn(pattern['argument']);
  return [...nodesOf(pattern['properties']), ...nodesOf(pattern['elements'])].flatMap(namesIn);
}
