/** Evaluates arithmetic: numbers, operators, brackets, constants and common functions. */

/** The text is no arithmetic. */
export class ArithmeticError extends Error {
  override name = 'ArithmeticError';
}

const FUNCTIONS: Record<string, (...values: number[]) => number> = {
  abs: Math.abs,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  atan2: Math.atan2,
  ceil: Math.ceil,
  cos: Math.cos,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log: Math.log10,
  log10: Math.log10,
  log2: Math.log2,
  max: Math.max,
  min: Math.min,
  pow: (a, b) => a ** b,
  round: Math.round,
  sign: Math.sign,
  sin: Math.sin,
  sqrt: Math.sqrt,
  tan: Math.tan,
  trunc: Math.trunc,
};
const CONSTANTS: Record<string, number> = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI };
const TOKEN = /\s*(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|\*\*|[a-z_]\w*|[-+*/%^(),!])/iy;
/** Characters: longer texts are refused, so that brackets cannot fill the stack. */
const MAX_LENGTH = 1000;

/** @throws ArithmeticError */
export function evaluateArithmetic(text: string): number {
  const reader = new Reader(tokensOf(text));
  const value = sum(reader);
  if (reader.peek() !== undefined) throw new ArithmeticError(`Unexpected "${reader.peek()}"`);
  return value;
}

function tokensOf(text: string): string[] {
  if (text.length > MAX_LENGTH)
    throw new ArithmeticError(`The expression is longer than ${MAX_LENGTH} characters`);
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) throw new ArithmeticError(`Unexpected "${text.slice(at).trim()[0]}"`);
    tokens.push(token);
  }
  return tokens;
}

class Reader {
  #at = 0;
  constructor(private readonly tokens: string[]) {}
  peek(): string | undefined {
    return this.tokens[this.#at];
  }
  next(): string {
    const token = this.tokens[this.#at++];
    if (token === undefined) throw new ArithmeticError('The expression ends too early');
    return token;
  }
  /** Takes the token if it is one of these. */
  take(...tokens: string[]): string | undefined {
    const token = this.peek();
    if (token === undefined || !tokens.includes(token)) return undefined;
    this.#at++;
    return token;
  }
}

function sum(reader: Reader): number {
  let value = product(reader);
  for (let operator = reader.take('+', '-'); operator; operator = reader.take('+', '-')) {
    const right = product(reader);
    value = operator === '+' ? value + right : value - right;
  }
  return value;
}

function product(reader: Reader): number {
  let value = signed(reader);
  for (let operator = reader.take('*', '/', '%'); operator; operator = reader.take('*', '/', '%')) {
    const right = signed(reader);
    value = operator === '*' ? value * right : operator === '/' ? value / right : value % right;
  }
  return value;
}

function signed(reader: Reader): number {
  if (reader.take('-')) return -signed(reader);
  if (reader.take('+')) return signed(reader);
  const base = factorial(reader);
  return reader.take('^', '**') ? base ** signed(reader) : base;
}

function factorial(reader: Reader): number {
  let value = operand(reader);
  while (reader.take('!')) value = factorialOf(value);
  return value;
}

function factorialOf(value: number): number {
  if (!Number.isInteger(value) || value < 0) return Number.NaN;
  let result = 1;
  for (let factor = 2; factor <= Math.min(value, 171); factor++) result *= factor;
  return result;
}

function operand(reader: Reader): number {
  const token = reader.next();
  if (token === '(') return closed(reader, sum(reader));
  if (/^[\d.]/.test(token)) return Number(token);
  const name = token.toLowerCase();
  if (Object.hasOwn(FUNCTIONS, name)) {
    if (!reader.take('(')) throw new ArithmeticError(`"${token}" needs brackets`);
    const values = [sum(reader)];
    while (reader.take(',')) values.push(sum(reader));
    return closed(reader, FUNCTIONS[name]!(...values));
  }
  if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name]!;
  throw new ArithmeticError(`Unexpected "${token}"`);
}

function closed(reader: Reader, value: number): number {
  if (reader.take(')')) return value;
  throw new ArithmeticError('A bracket is not closed');
}
