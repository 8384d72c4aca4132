import { readTokens } from './expression-tokens.ts';
import type { Token } from './expression-tokens.ts';
import { ExpressionError } from './expression-error.ts';

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

interface NamedFunction {
  readonly least: number;
  readonly most: number;
  run(values: readonly number[]): number;
}

const one = (run: (value: number) => number): NamedFunction => ({ least: 1, most: 1, run: ([value = 0]) => run(value) });
const many = (run: (...values: number[]) => number): NamedFunction => ({ least: 1, most: 1000, run: (values) => run(...values) });

const FUNCTIONS: ReadonlyMap<string, NamedFunction> = new Map([
  ['abs', one(Math.abs)],
  ['ceil', one(Math.ceil)],
  ['cos', one(Math.cos)],
  ['exp', one(Math.exp)],
  ['floor', one(Math.floor)],
  ['ln', one(Math.log)],
  ['log10', one(Math.log10)],
  ['max', many(Math.max)],
  ['min', many(Math.min)],
  ['round', one(Math.round)],
  ['sin', one(Math.sin)],
  ['sqrt', one(Math.sqrt)],
  ['tan', one(Math.tan)],
]);

const DEEPEST = 100;

/**
 * The value of an arithmetic expression, by recursive descent; nothing is ever run as code.
 *
 *     sum     = product { ("+" | "-") product }
 *     product = sign { ("*" | "/" | "%") sign }
 *     sign    = ("+" | "-") sign | power
 *     power   = operand [ "^" sign ]
 *     operand = number | name [ "(" sum { "," sum } ")" ] | "(" sum ")"
 *
 * Throws an ExpressionError with position and reason; a result is always a finite number.
 */
export function evaluate(expression: string): number {
  const tokens = readTokens(expression);
  let next = 0;
  let depth = 0;

  const peek = (): Token => tokens[next] ?? { kind: 'end', text: '', position: expression.length + 1 };
  const take = (): Token => {
    const token = peek();
    next += 1;
    return token;
  };
  const isNext = (...texts: string[]): boolean => peek().kind === 'sign' && texts.includes(peek().text);
  const expect = (text: string): void => {
    const token = take();
    if (token.kind !== 'sign' || token.text !== text)
      throw new ExpressionError(`Expected “${text}” but found ${named(token)}.`, token.position);
  };

  function sum(): number {
    depth += 1;
    if (depth > DEEPEST)
      throw new ExpressionError(`More than ${DEEPEST} brackets or signs inside each other. Split the expression.`, peek().position);
    let value = product();
    while (isNext('+', '-')) value = apply(take(), value, product());
    depth -= 1;
    return value;
  }

  function product(): number {
    let value = sign();
    while (isNext('*', '/', '%')) value = apply(take(), value, sign());
    return value;
  }

  function sign(): number {
    if (!isNext('+', '-')) return power();
    depth += 1;
    if (depth > DEEPEST)
      throw new ExpressionError(`More than ${DEEPEST} brackets or signs inside each other. Split the expression.`, peek().position);
    const value = take().text === '-' ? -sign() : sign();
    depth -= 1;
    return value;
  }

  function power(): number {
    const base = operand();
    if (!isNext('^')) return base;
    return apply(take(), base, sign());
  }

  function operand(): number {
    const token = take();
    if (token.kind === 'number') return finite(Number(token.text), token);
    if (token.kind === 'name') return isNext('(') ? call(token) : constant(token);
    if (token.kind === 'sign' && token.text === '(') {
      const value = sum();
      expect(')');
      return value;
    }
    throw new ExpressionError(`Expected a number, a name or “(” but found ${named(token)}.`, token.position);
  }

  function call(name: Token): number {
    const found = FUNCTIONS.get(name.text);
    if (found === undefined)
      throw new ExpressionError(`There is no function “${name.text}”. Known are ${[...FUNCTIONS.keys()].join(', ')}.`, name.position);
    expect('(');
    const values: number[] = [];
    if (!isNext(')')) {
      values.push(sum());
      while (isNext(',')) {
        take();
        values.push(sum());
      }
    }
    expect(')');
    if (values.length < found.least || values.length > found.most) {
      const right = found.most === 1 ? 'one value' : 'one value or more';
      throw new ExpressionError(`“${name.text}” was given ${values.length} values; it takes ${right}.`, name.position);
    }
    return finite(found.run(values), name);
  }

  const value = sum();
  if (peek().kind !== 'end') throw new ExpressionError(`Expected an operator or the end but found ${named(peek())}.`, peek().position);
  return value === 0 ? 0 : value;
}

function constant(name: Token): number {
  const value = CONSTANTS.get(name.text);
  if (value !== undefined) return value;
  const hint = FUNCTIONS.has(name.text)
    ? `“${name.text}” is a function: write ${name.text}( … ).`
    : `There is no constant “${name.text}”. Known are pi and e.`;
  throw new ExpressionError(hint, name.position);
}

function apply(operator: Token, left: number, right: number): number {
  if ((operator.text === '/' || operator.text === '%') && right === 0) throw new ExpressionError('Division by zero.', operator.position);
  switch (operator.text) {
    case '+':
      return finite(left + right, operator);
    case '-':
      return finite(left - right, operator);
    case '*':
      return finite(left * right, operator);
    case '/':
      return finite(left / right, operator);
    case '%':
      return finite(left % right, operator);
    default:
      return finite(left ** right, operator);
  }
}

function finite(value: number, at: Token): number {
  if (Number.isNaN(value)) throw new ExpressionError(`“${at.text}” has no real result here.`, at.position);
  if (!Number.isFinite(value))
    throw new ExpressionError(`The result of “${at.text}” is beyond 1.8e308, the largest number there is here.`, at.position);
  return value;
}

function named(token: Token): string {
  return token.kind === 'end' ? 'the end' : `“${token.text}”`;
}
