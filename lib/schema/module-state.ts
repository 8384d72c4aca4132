import { parseSource } from './parse-source.ts';

/**
 * Whether calls may change what a module keeps in memory, so that ending its process would be noticed: assignments to its own
 * variables in functions, changes of objects and collections reached from them, and the same in closures and classes that it
 * creates while it is imported.
 *
 * What can go wrong: state that static analysis does not find (in packages, behind aliases) is lost with the process, and harmless
 * changes, such as a cache, keep it. Authors decide with `KEEP_ALIVE`.
 */
export function hasModuleState(path: string, code: string): boolean {
  // A database in memory.
  if (code.length > READ_MOST || code.includes(':memory:')) return true;
  const program: unknown = parseSource(path, code, { preserveParens: false })?.program;
  return !isNode(program) || createReading().read(program);
}

/** Parsing a larger text would delay other work. */
const READ_MOST = 524_288;
const ALIASES_MOST = 5;
const MUTATORS = new Set(
  'push pop shift unshift splice sort reverse fill copyWithin set add delete clear append next setTime enqueue dequeue'.split(' '),
);
/** Methods that return a part of the collection, not a copy. */
const PARTS = new Set(['get', 'find', 'findLast', 'at', 'pop', 'shift', 'values', 'entries']);
const STATIC_MUTATORS = new Set(['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'set', 'deleteProperty']);
/** Objects of the process that outlive a call. */
const GLOBALS = new Set(['globalThis', 'global', 'process']);
/** Functions of the bundler whose arguments are the bodies of CommonJS modules. */
const MODULE_WRAPPER = /^__(?:commonJS|esm)\w*$/;

/** A node of the syntax tree. */
type Fields = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A function, a class, or the module itself. */
interface Body {
  /** Its variables, or objects made by it, are changed by functions that outlive its call. */
  isMaker: boolean;
  readonly calls: Set<Body | Binding>;
}

interface Binding {
  readonly body: Body;
  /** The value it begins with; null if unknown. */
  init: Fields | null;
  isImport: boolean;
  /** The function or class that it names. */
  made: Body | null;
}

interface Scope {
  readonly names: Map<string, Binding>;
  readonly body: Body;
  readonly parent: Scope | null;
}

/** The object that `this` refers to; null: unknown. */
type Self = { readonly owner: Body; readonly isBeingMade: boolean } | null;

interface Place {
  readonly scope: Scope;
  readonly self: Self;
}

function createReading(): { read(program: Fields): boolean } {
  const module: Body = { isMaker: false, calls: new Set() };
  const made = new Map<Fields, Body>();

  const bodyOf = (node: Fields): Body => {
    const known = made.get(node) ?? { isMaker: false, calls: new Set() };
    made.set(node, known);
    return known;
  };

  const find = (scope: Scope | null, name: string): Binding | null => {
    for (let at = scope; at !== null; at = at.parent) {
      const found = at.names.get(name);
      if (found !== undefined) return found;
    }
    return null;
  };

  const declare = (scope: Scope, pattern: unknown, init: Fields | null, isImport = false): void => {
    for (const name of namesIn(pattern)) {
      const isFunction = init !== null && isMade(init);
      scope.names.set(name, { body: scope.body, init, isImport, made: isFunction ? bodyOf(init) : null });
    }
  };

  /** Declarations directly in a block, and `var` of its inner blocks. */
  const declareIn = (scope: Scope, statements: readonly Fields[], isInner = false): void => {
    for (const given of statements) {
      const node = given.type.startsWith('Export') && isNode(given['declaration']) ? given['declaration'] : given;
      if (node.type === 'ImportDeclaration') for (const one of nodesOf(node['specifiers'])) declare(scope, one['local'], null, true);
      else if (node.type === 'VariableDeclaration' && (!isInner || node['kind'] === 'var')) {
        for (const one of nodesOf(node['declarations'])) declare(scope, one['id'], isNode(one['init']) ? one['init'] : null);
      } else if (!isInner && (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')) declare(scope, node['id'], node);
      else if (!isMade(node)) declareIn(scope, [...childrenOf(node)], true);
    }
  };

  /** The binding behind an expression, through fields and aliases. */
  const rootOf = (node: Fields, { scope }: Place, left = ALIASES_MOST): { name: string; binding: Binding | null } | 'this' | null => {
    if (node.type === 'ThisExpression') return 'this';
    if (node.type === 'Identifier') {
      const name = String(node['name']);
      const binding = find(scope, name);
      const init = binding?.init ?? null;
      if (binding === null || init === null || left === 0 || binding.body === module) return { name, binding };
      const alias =
        init.type === 'Identifier' || isAccess(init) || init.type === 'CallExpression'
          ? rootOf(init, { scope, self: null }, left - 1)
          : null;
      return alias ?? { name, binding };
    }
    const inner = node['object'] ?? node['expression'];
    if (isAccess(node) && isNode(inner)) return rootOf(inner, { scope, self: null }, left);
    const callee = node.type === 'CallExpression' ? node['callee'] : null;
    if (isNode(callee) && isAccess(callee) && PARTS.has(methodName(callee))) return rootOf(callee, { scope, self: null }, left);
    return null;
  };

  /** @param isField a field or the content changes, not the variable itself */
  const change = (node: Fields, place: Place, isField: boolean, byMethod = false): void => {
    const target = isField ? rootOf(node, place) : node.type === 'Identifier' ? rootOf(node, place, 0) : null;
    if (target === null) return;
    if (target === 'this') {
      if (place.self !== null && !place.self.isBeingMade) place.self.owner.isMaker = true;
      return;
    }
    const { name, binding } = target;
    const { body } = place.scope;
    if (binding === null) {
      if (GLOBALS.has(name) && isField && body !== module) module.isMaker = true;
      return;
    }
    if (binding.body === body || (byMethod && binding.isImport) || (isField && isPrimitive(binding.init))) return;
    binding.body.isMaker = true;
  };

  const changePattern = (pattern: unknown, place: Place): void => {
    if (!isNode(pattern)) return;
    if (isAccess(pattern)) change(pattern, place, true);
    else if (pattern.type === 'Identifier') change(pattern, place, false);
    else if (pattern.type === 'AssignmentPattern') changePattern(pattern['left'], place);
    else if (pattern.type === 'Property') changePattern(pattern['value'], place);
    else if (pattern.type === 'RestElement') changePattern(pattern['argument'], place);
    else for (const child of [...nodesOf(pattern['properties']), ...nodesOf(pattern['elements'])]) changePattern(child, place);
  };

  const readCall = (node: Fields, place: Place): void => {
    const callee = node['callee'];
    if (!isNode(callee)) return;
    const { body } = place.scope;
    if (callee.type === 'Identifier') {
      const binding = find(place.scope, String(callee['name']));
      if (binding !== null) body.calls.add(binding);
    } else if (isMade(callee)) body.calls.add(bodyOf(callee));
    const [first] = nodesOf(node['arguments']);
    for (const given of nodesOf(node['arguments'])) if (isMade(given)) body.calls.add(bodyOf(given));
    if (!isAccess(callee) || !isNode(callee['object'])) return;
    const method = methodName(callee);
    const isStatic = callee['object'].type === 'Identifier' && /^(?:Object|Reflect)$/.test(String(callee['object']['name']));
    if (isStatic && first !== undefined && STATIC_MUTATORS.has(method)) change(first, place, true);
    else if (!isStatic && MUTATORS.has(method)) change(callee['object'], place, true, true);
  };

  /** @param self null keeps that of the surroundings, as an arrow function does */
  const readFunction = (node: Fields, place: Place, self: Self, isModule = false): void => {
    const body = isModule ? module : bodyOf(node);
    const scope: Scope = { names: new Map(), body, parent: place.scope };
    if (isNode(node['id'])) declare(scope, node['id'], node);
    for (const parameter of nodesOf(node['params'])) declare(scope, parameter, null);
    const inside: Place = { scope, self: node.type === 'ArrowFunctionExpression' ? place.self : self };
    for (const parameter of nodesOf(node['params'])) visit(parameter, inside);
    if (isNode(node['body'])) visit(node['body'], inside);
  };

  const readClass = (node: Fields, place: Place): void => {
    const owner = bodyOf(node);
    if (isNode(node['superClass'])) {
      visit(node['superClass'], place);
      const base = node['superClass'].type === 'Identifier' ? find(place.scope, String(node['superClass']['name'])) : null;
      if (base !== null) owner.calls.add(base);
    }
    for (const member of isNode(node['body']) ? nodesOf(node['body']['body']) : []) {
      const isStatic = member['static'] === true;
      const self: Self = {
        owner: isStatic ? place.scope.body : owner,
        isBeingMade: member['kind'] === 'constructor' || member.type === 'StaticBlock',
      };
      const value = member['value'];
      if (isNode(member['key']) && member['computed'] === true) visit(member['key'], place);
      if (!isNode(value)) for (const child of childrenOf(member)) visit(child, { ...place, self });
      else if (value.type === 'FunctionExpression') readFunction(value, place, self);
      // An arrow function that is a field runs later.
      else visit(value, { ...place, self: { owner: self.owner, isBeingMade: value.type !== 'ArrowFunctionExpression' } });
    }
  };

  const visit = (node: Fields, place: Place): void => {
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') return readClass(node, place);
    if (isMade(node)) return readFunction(node, place, null);
    if (node.type === 'AssignmentExpression') changePattern(node['left'], place);
    if (node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node['operator'] === 'delete'))
      changePattern(node['argument'], place);
    if ((node.type === 'ForOfStatement' || node.type === 'ForInStatement') && isNode(node['left'])) changePattern(node['left'], place);
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      if (isWrapper(node)) return readWrapped(node, place);
      readCall(node, place);
    }
    if (node.type === 'ObjectExpression') {
      for (const property of nodesOf(node['properties'])) {
        const value = property['value'];
        if (isNode(value) && value.type === 'FunctionExpression') {
          if (property['computed'] === true && isNode(property['key'])) visit(property['key'], place);
          readFunction(value, place, { owner: place.scope.body, isBeingMade: false });
        } else visit(property, place);
      }
      return;
    }
    const isBlock = node.type === 'BlockStatement' || node.type === 'Program' || node.type === 'StaticBlock';
    const inside = isBlock || node.type.startsWith('For') || node.type === 'SwitchStatement' || node.type === 'CatchClause';
    const scope: Scope = inside ? { names: new Map(), body: place.scope.body, parent: place.scope } : place.scope;
    if (isBlock) declareIn(scope, nodesOf(node['body']));
    else if (node.type === 'CatchClause') declare(scope, node['param'], null);
    else if (inside)
      declareIn(scope, [
        ...nodesOf(node['cases']).flatMap((one) => nodesOf(one['consequent'])),
        ...[node['init'], node['left']].filter(isNode),
      ]);
    for (const child of childrenOf(node)) visit(child, { ...place, scope });
  };

  const readWrapped = (node: Fields, place: Place): void => {
    for (const property of nodesOf(node['arguments']).flatMap((given) => nodesOf(given['properties'])))
      if (isNode(property['value'])) readFunction(property['value'], place, null, true);
  };

  return {
    read(program) {
      visit(program, { scope: { names: new Map(), body: module, parent: null }, self: null });
      const reached = new Set<Body>([module]);
      for (const body of reached)
        for (const called of body.calls) {
          const next = 'calls' in called ? called : called.made;
          if (next !== null) reached.add(next);
        }
      return [...reached].some(({ isMaker }) => isMaker);
    },
  };
}

function isWrapper({ callee }: Fields): boolean {
  return isNode(callee) && callee.type === 'Identifier' && MODULE_WRAPPER.test(String(callee['name']));
}

function isNode(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function nodesOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function* childrenOf(node: Fields): Generator<Fields> {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) yield* value.filter(isNode);
    else if (isNode(value)) yield value;
  }
}

/** Called or created: a function or a class. */
function isMade({ type }: Fields): boolean {
  return /^(?:Function(?:Declaration|Expression)|ArrowFunctionExpression|Class(?:Declaration|Expression))$/.test(type);
}

function isPrimitive(init: Fields | null): boolean {
  return init?.type === 'TemplateLiteral' || (init?.type === 'Literal' && init['value'] !== null);
}

function isAccess({ type }: Fields): boolean {
  return type === 'MemberExpression' || type === 'ChainExpression';
}

function methodName(access: Fields): string {
  const property = access['property'];
  return isNode(property) && access['computed'] !== true ? String(property['name']) : '';
}

/** Names that a pattern declares. */
function namesIn(pattern: unknown): readonly string[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [String(pattern['name'])];
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern['left']);
  if (pattern.type === 'Property') return namesIn(pattern['value']);
  if (pattern.type === 'RestElement') return namesIn(pattern['argument']);
  return [...nodesOf(pattern['properties']), ...nodesOf(pattern['elements'])].flatMap(namesIn);
}
