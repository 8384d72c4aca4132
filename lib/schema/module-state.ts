import { parseSource } from './parse-source.ts';
import { childrenOf, type Fields, isAccess, isMade, isNamed, isNode, keyOf, methodName, namesIn, nodesOf } from './syntax-nodes.ts';

/**
 * Whether calls may change what a module keeps in memory, so that ending its process would be noticed: assignments to its own
 * variables in functions, changes of objects and collections reached from them, also by functions that change a parameter or return
 * a variable, and the same in closures and classes that it creates while it is imported.
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
const ALIASES_MOST = 8;
/** Expressions that are read to find the variables behind one. */
const STEPS_MOST = 24;
const MUTATORS = new Set(
  `push pop shift unshift splice sort reverse fill copyWithin set add delete clear append next setTime enqueue dequeue getOrInsert
  getOrInsertComputed swap16 swap32 swap64 setFromBase64 setFromHex`.split(/\s+/),
);
const LISTENER_MUTATORS = new Set(
  `on once off addListener removeListener prependListener prependOnceListener removeAllListeners addEventListener
  removeEventListener`.split(/\s+/),
);
/** Of buffers, typed arrays and dates. */
const VALUE_MUTATOR =
  /^(?:(?:write|set)(?:Big)?(?:U?[Ii]nt|Float|Double)(?:8|16|32|64)?(?:LE|BE)?|set(?:UTC)?(?:FullYear|Month|Date|Hours|Minutes|Seconds|Milliseconds))$/;
/** Methods that return a part of the collection, not a copy. */
const PARTS = new Set('get find findLast at pop shift values entries getOrInsert getOrInsertComputed'.split(' '));
/** Methods that pass each element to a function. */
const ITERATORS = new Set('forEach map filter find findLast some every flatMap'.split(' '));
const STATIC_MUTATORS = new Set(['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'set', 'deleteProperty']);
/** Objects of the process that outlive a call. */
const GLOBALS = new Set(['globalThis', 'global', 'process']);
const ATOMIC_MUTATORS = new Set('add and compareExchange exchange or store sub xor'.split(' '));
/** Methods that change the bytes of an argument or of their object. */
const BYTE_MUTATORS = new Set('write copy encodeInto randomFill randomFillSync getRandomValues read readSync'.split(' '));
const BYTES = /^(?:Buffer|DataView|\w+Array)\d*$/;
/** Functions of `Object` that return their argument or its parts. */
const STATIC_PARTS = new Set(['assign', 'freeze', 'seal', 'values', 'entries']);
/** Functions of the bundler whose arguments are the bodies of CommonJS modules. */
const MODULE_WRAPPER = /^__(?:commonJS|esm)\w*$/;

/** A function, a class, or the module itself. */
interface Body {
  /** Its variables, or objects made by it, are changed by functions that outlive its call. */
  isMaker: boolean;
  readonly calls: Set<Body | Call>;
  readonly callers: Call[];
  readonly returned: Expression[];
  /** Indexes of the parameters whose objects it changes. */
  readonly changed: Set<number>;
  /** Methods of a class. */
  readonly members: Map<string, Body>;
  base: Expression | null;
}

interface Binding {
  readonly scope: Scope;
  /** The value it begins with; null if unknown. */
  readonly init: Fields | null;
  readonly isImport: boolean;
  readonly parameter: { readonly index: number; readonly isRest: boolean } | null;
  /** A parameter has a new object after this position. */
  replacedAt: number;
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

interface Expression {
  readonly node: Fields;
  readonly place: Place;
}

interface Call extends Expression {
  readonly isNew: boolean;
  readonly given: readonly Fields[];
}

/** What changes: the variable itself, its object, only its listeners, or only its bytes. */
type Changed = 'variable' | 'field' | 'content' | 'listeners' | 'bytes';

interface Change extends Expression {
  readonly changed: Changed;
}

type Root = { readonly name: string; readonly binding: Binding | null } | 'this';

function createBody(): Body {
  return {
    isMaker: false,
    calls: new Set(),
    callers: [],
    returned: [],
    changed: new Set(),
    members: new Map(),
    base: null,
  };
}

function createReading(): { read(program: Fields): boolean } {
  const module = createBody();
  const made = new Map<Fields, Body>();
  const objects = new Map<Fields, ReadonlyMap<string, Fields>>();
  /** Functions that get each element of a collection. */
  const elements = new Map<Fields, Fields>();
  const changes: Change[] = [];
  const calls: Call[] = [];
  const replacements: Expression[] = [];

  const bodyOf = (node: Fields): Body => {
    const known = made.get(node) ?? createBody();
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

  const declare = (
    scope: Scope,
    pattern: unknown,
    init: Fields | null,
    { isImport = false, parameter = null }: Partial<Pick<Binding, 'isImport' | 'parameter'>> = {},
  ): void => {
    for (const name of namesIn(pattern)) scope.names.set(name, { scope, init, isImport, parameter, replacedAt: Infinity });
  };

  /** Declarations directly in a block, and `var` of its inner blocks. */
  const declareIn = (scope: Scope, statements: readonly Fields[], isInner = false, of: Fields | null = null): void => {
    for (const given of statements) {
      const node = given.type.startsWith('Export') && isNode(given['declaration']) ? given['declaration'] : given;
      if (node.type === 'ImportDeclaration')
        for (const one of nodesOf(node['specifiers'])) declare(scope, one['local'], null, { isImport: true });
      else if (node.type === 'VariableDeclaration' && (!isInner || node['kind'] === 'var')) {
        for (const one of nodesOf(node['declarations'])) declare(scope, one['id'], isNode(one['init']) ? one['init'] : of);
      } else if (!isInner && (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')) declare(scope, node['id'], node);
      else if (!isMade(node)) declareIn(scope, childrenOf(node), true);
    }
  };

  /** The function or class behind an expression. */
  const bodyBehind = (node: Fields, place: Place, left = ALIASES_MOST): Body | null => {
    if (isMade(node)) return bodyOf(node);
    if (left === 0) return null;
    if (node.type === 'Identifier') {
      const binding = find(place.scope, String(node['name']));
      return binding?.init == null ? null : bodyBehind(binding.init, { scope: binding.scope, self: null }, left - 1);
    }
    if (node.type === 'SequenceExpression') {
      const last = nodesOf(node['expressions']).at(-1);
      return last === undefined ? null : bodyBehind(last, place, left - 1);
    }
    const holder = isAccess(node) ? node['object'] : null;
    return isNode(holder) ? memberOf(holder, methodName(node), place, left - 1) : null;
  };

  /** A method of the object, class or instance behind an expression. */
  const memberOf = (node: Fields, name: string, place: Place, left: number): Body | null => {
    if (left <= 0) return null;
    if (node.type === 'ThisExpression') return place.self === null ? null : memberIn(place.self.owner, name);
    if (node.type === 'ObjectExpression') {
      const value = propertiesOf(node).get(name);
      return value === undefined ? null : bodyBehind(value, place, left - 1);
    }
    if (node.type === 'Identifier') {
      const binding = find(place.scope, String(node['name']));
      return binding?.init == null ? null : memberOf(binding.init, name, { scope: binding.scope, self: null }, left - 1);
    }
    if (isMade(node)) return memberIn(bodyOf(node), name);
    const callee = node['callee'];
    const body = isNode(callee) ? bodyBehind(callee, place, left - 1) : null;
    if (body === null) return null;
    if (node.type === 'NewExpression') return memberIn(body, name);
    const [returned] = body.returned;
    return returned === undefined ? null : memberOf(returned.node, name, returned.place, left - 1);
  };

  const memberIn = (body: Body, name: string): Body | null => {
    let at: Body | null = body;
    for (let left = ALIASES_MOST; at !== null && left > 0; left -= 1) {
      const found = at.members.get(name);
      if (found !== undefined) return found;
      at = at.base === null ? null : bodyBehind(at.base.node, at.base.place);
    }
    return null;
  };

  const propertiesOf = (node: Fields): ReadonlyMap<string, Fields> => {
    const known =
      objects.get(node) ??
      new Map(nodesOf(node['properties']).flatMap((one) => (isNode(one['value']) ? [[keyOf(one), one['value']]] : [])));
    objects.set(node, known);
    return known;
  };

  /** The variables behind an expression, through fields, aliases and functions that return them. */
  const rootsOf = (node: Fields, place: Place, budget = { left: STEPS_MOST }): readonly Root[] => {
    if (budget.left <= 0) return [];
    budget.left -= 1;
    const through = (...inner: readonly unknown[]): readonly Root[] =>
      inner.flatMap((one) => (isNode(one) ? rootsOf(one, place, budget) : []));
    switch (node.type) {
      case 'ThisExpression':
        return ['this'];
      case 'Identifier': {
        const name = String(node['name']);
        const binding = find(place.scope, name);
        if (binding === null || binding.init === null || binding.scope.body === module) return [{ name, binding }];
        const behind = rootsOf(binding.init, { scope: binding.scope, self: null }, budget);
        return behind.length === 0 ? [{ name, binding }] : behind;
      }
      case 'MemberExpression':
        return through(node['object']);
      case 'ChainExpression':
        return through(node['expression']);
      case 'AwaitExpression':
        return through(node['argument']);
      case 'LogicalExpression':
      case 'AssignmentExpression':
        return through(node['left'], node['right']);
      case 'ConditionalExpression':
        return through(node['consequent'], node['alternate']);
      case 'CallExpression':
        return rootsOfCall(node, place, budget);
      default:
        return [];
    }
  };

  const rootsOfCall = (node: Fields, place: Place, budget: { left: number }): readonly Root[] => {
    const callee = node['callee'];
    if (!isNode(callee)) return [];
    const given = nodesOf(node['arguments']);
    const ofGiven = (index: number): readonly Root[] => (given[index] === undefined ? [] : rootsOf(given[index], place, budget));
    if (isAccess(callee) && isStatic(callee)) return STATIC_PARTS.has(methodName(callee)) ? ofGiven(0) : [];
    const body = bodyBehind(callee, place);
    if (body === null) return isAccess(callee) && PARTS.has(methodName(callee)) ? rootsOf(callee, place, budget) : [];
    return body.returned
      .flatMap((one) => rootsOf(one.node, one.place, budget))
      .flatMap((root) => {
        if (root === 'this') return [];
        if (root.binding?.scope.body !== body) return [root];
        return root.binding.parameter === null ? [] : ofGiven(root.binding.parameter.index);
      });
  };

  const change = (node: Fields, place: Place, changed: Changed): void => void changes.push({ node, place, changed });

  const apply = ({ node, place, changed }: Change): void => {
    const isVariable = changed === 'variable';
    const roots = isVariable ? [{ name: String(node['name']), binding: find(place.scope, String(node['name'])) }] : rootsOf(node, place);
    const { body } = place.scope;
    for (const root of roots) {
      if (root === 'this') {
        if (place.self !== null && !place.self.isBeingMade) place.self.owner.isMaker = true;
        continue;
      }
      const { name, binding } = root;
      if (binding === null) {
        if (GLOBALS.has(name) && !isVariable && changed !== 'listeners' && changed !== 'bytes' && body !== module) module.isMaker = true;
        continue;
      }
      if ((!isVariable && isPrimitive(binding.init)) || (changed === 'bytes' && !isBytes(binding.init))) continue;
      if (binding.isImport && !isVariable && changed !== 'field') continue;
      if (binding.parameter !== null && !isVariable) applyToArguments(binding, node);
      if (binding.scope.body !== body) binding.scope.body.isMaker = true;
    }
  };

  /** A parameter changes: so do the arguments of all calls. */
  const applyToArguments = ({ parameter, scope, replacedAt }: Binding, node: Fields): void => {
    if (parameter === null || Number(node['start']) > replacedAt || scope.body.changed.has(parameter.index)) return;
    if (parameter.isRest && node.type === 'Identifier' && scope.names.get(String(node['name']))?.parameter === parameter) return;
    scope.body.changed.add(parameter.index);
    for (const { given, place } of scope.body.callers)
      for (const one of parameter.isRest ? given.slice(parameter.index) : given.slice(parameter.index, parameter.index + 1))
        change(one, place, 'content');
  };

  const changePattern = (pattern: unknown, place: Place): void => {
    if (!isNode(pattern)) return;
    if (isAccess(pattern)) {
      const inner = pattern['object'] ?? pattern['expression'];
      if (isNode(inner)) change(inner, place, 'field');
    } else if (pattern.type === 'Identifier') change(pattern, place, 'variable');
    else if (pattern.type === 'AssignmentPattern') changePattern(pattern['left'], place);
    else if (pattern.type === 'Property') changePattern(pattern['value'], place);
    else if (pattern.type === 'RestElement') changePattern(pattern['argument'], place);
    else for (const child of [...nodesOf(pattern['properties']), ...nodesOf(pattern['elements'])]) changePattern(child, place);
  };

  const readCall = (node: Fields, place: Place): void => {
    const callee = node['callee'];
    if (!isNode(callee)) return;
    const { body } = place.scope;
    const given = nodesOf(node['arguments']);
    const [first] = given;
    const call = { node: callee, place, given, isNew: node.type === 'NewExpression' };
    calls.push(call);
    body.calls.add(call);
    for (const one of given) if (isMade(one)) body.calls.add(bodyOf(one));
    const object = callee['object'];
    if (!isAccess(callee) || !isNode(object)) return;
    const method = methodName(callee);
    if (isStatic(callee)) {
      if (first !== undefined && STATIC_MUTATORS.has(method)) change(first, place, 'field');
    } else if (isNamed(object, /^Atomics$/)) {
      if (first !== undefined && ATOMIC_MUTATORS.has(method)) change(first, place, 'content');
    } else if (MUTATORS.has(method) || VALUE_MUTATOR.test(method)) change(object, place, 'content');
    else if (LISTENER_MUTATORS.has(method)) change(object, place, 'listeners');
    else if (BYTE_MUTATORS.has(method)) for (const one of [object, ...given]) change(one, place, 'bytes');
    else if (first !== undefined && ITERATORS.has(method) && isMade(first)) elements.set(first, object);
    else if (first !== undefined && /^(?:call|apply|bind)$/.test(method) && MUTATORS.has(methodName(object)))
      change(first, place, 'content');
  };

  /** @param self null keeps that of the surroundings, as an arrow function does */
  const readFunction = (node: Fields, place: Place, self: Self, isModule = false): void => {
    const body = isModule ? module : bodyOf(node);
    const scope: Scope = { names: new Map(), body, parent: place.scope };
    if (isNode(node['id'])) declare(scope, node['id'], node);
    const parameters = nodesOf(node['params']);
    for (const [index, parameter] of parameters.entries()) {
      const init = index === 0 ? (elements.get(node) ?? null) : null;
      declare(scope, parameter, init, { parameter: isModule ? null : { index, isRest: parameter.type === 'RestElement' } });
    }
    const inside: Place = { scope, self: node.type === 'ArrowFunctionExpression' ? place.self : self };
    for (const parameter of parameters) visit(parameter, inside);
    if (!isNode(node['body'])) return;
    if (node['body'].type !== 'BlockStatement') body.returned.push({ node: node['body'], place: inside });
    for (const statement of nodesOf(node['body']['body'])) replacements.push({ node: statement, place: inside });
    visit(node['body'], inside);
  };

  /** `list = [...list]`, which changes nothing outside. */
  const readReplacement = ({ node: { expression: node }, place }: Expression): void => {
    if (!isNode(node) || node.type !== 'AssignmentExpression' || node['operator'] !== '=') return;
    const { left, right } = node;
    const binding = isNode(left) && left.type === 'Identifier' ? place.scope.names.get(String(left['name'])) : undefined;
    if (binding === undefined || !isNode(right)) return;
    if (/^(?:Object|Array|New|Call)Expression$/.test(right.type) && rootsOf(right, place).length === 0)
      binding.replacedAt = Math.min(binding.replacedAt, Number(node['start']));
  };

  const readClass = (node: Fields, place: Place): void => {
    const owner = bodyOf(node);
    if (isNode(node['superClass'])) {
      visit(node['superClass'], place);
      owner.base = { node: node['superClass'], place };
      owner.calls.add({ ...owner.base, given: [], isNew: true });
    }
    for (const member of isNode(node['body']) ? nodesOf(node['body']['body']) : []) {
      const isStatic = member['static'] === true;
      const self: Self = {
        owner: isStatic ? place.scope.body : owner,
        isBeingMade: member['kind'] === 'constructor' || member.type === 'StaticBlock',
      };
      const value = member['value'];
      if (isNode(value) && isMade(value) && member['computed'] !== true) owner.members.set(keyOf(member), bodyOf(value));
      if (isNode(member['key']) && member['computed'] === true) visit(member['key'], place);
      if (!isNode(value)) for (const child of childrenOf(member)) visit(child, { ...place, self });
      else if (value.type === 'FunctionExpression') {
        if (member['kind'] === 'constructor') owner.calls.add(bodyOf(value));
        readFunction(value, place, self);
      }
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
    if (node.type === 'ReturnStatement' && isNode(node['argument'])) place.scope.body.returned.push({ node: node['argument'], place });
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
    else if (inside) {
      const of = node.type === 'ForOfStatement' && isNode(node['right']) ? node['right'] : null;
      declareIn(scope, [...nodesOf(node['cases']).flatMap((one) => nodesOf(one['consequent'])), ...[node['init']].filter(isNode)]);
      declareIn(scope, [node['left']].filter(isNode), false, of);
    }
    for (const child of childrenOf(node)) visit(child, { ...place, scope });
  };

  const readWrapped = (node: Fields, place: Place): void => {
    for (const property of nodesOf(node['arguments']).flatMap((given) => nodesOf(given['properties'])))
      if (isNode(property['value'])) readFunction(property['value'], place, null, true);
  };

  return {
    read(program) {
      visit(program, { scope: { names: new Map(), body: module, parent: null }, self: null });
      for (const call of calls) {
        const body = bodyBehind(call.node, call.place);
        (call.isNew && body !== null ? memberIn(body, 'constructor') : body)?.callers.push(call);
      }
      for (const one of replacements) readReplacement(one);
      // It adds changes of arguments to the list.
      for (const one of changes) apply(one);
      const reached = new Set<Body>([module]);
      for (const body of reached)
        for (const called of body.calls) {
          const next = 'calls' in called ? called : bodyBehind(called.node, called.place);
          if (next !== null) reached.add(next);
        }
      return [...reached].some(({ isMaker }) => isMaker);
    },
  };
}

function isWrapper({ callee }: Fields): boolean {
  return isNamed(callee, MODULE_WRAPPER);
}

/** A function of `Object` or `Reflect`. */
function isStatic(access: Fields): boolean {
  return isNamed(access['object'], /^(?:Object|Reflect)$/);
}

/** A buffer or a typed array. */
function isBytes(init: Fields | null): boolean {
  const callee = init?.type === 'NewExpression' || init?.type === 'CallExpression' ? init['callee'] : null;
  return isNode(callee) && isNamed(isAccess(callee) ? callee['object'] : callee, BYTES);
}

function isPrimitive(init: Fields | null): boolean {
  return init?.type === 'TemplateLiteral' || (init?.type === 'Literal' && init['value'] !== null);
}
