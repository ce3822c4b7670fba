/** The operations of conditions, by type. Their values are converted to the type; missing ones are undefined. */

// biome-ignore lint/suspicious/noExplicitAny: the values have the type of the operation
type Test = (left: any, right: any) => boolean;

const exists: Test = (left) => left !== undefined && left !== null;
const shared: Record<string, Test> = { exists, notExists: (left, right) => !exists(left, right) };

const string: Record<string, Test> = {
  empty: (left) => (left ?? '') === '',
  notEmpty: (left) => (left ?? '') !== '',
  equals: (left, right) => (left ?? '') === (right ?? ''),
  notEquals: (left, right) => (left ?? '') !== (right ?? ''),
  contains: (left, right) => (left ?? '').includes(right ?? ''),
  notContains: (left, right) => !(left ?? '').includes(right ?? ''),
  startsWith: (left, right) => (left ?? '').startsWith(right ?? ''),
  notStartsWith: (left, right) => !(left ?? '').startsWith(right ?? ''),
  endsWith: (left, right) => (left ?? '').endsWith(right ?? ''),
  notEndsWith: (left, right) => !(left ?? '').endsWith(right ?? ''),
  regex: (left, right) => parsePattern(right).test(left ?? ''),
  notRegex: (left, right) => !parsePattern(right).test(left ?? ''),
};

const number: Record<string, Test> = {
  empty: (left) => left === undefined || Number.isNaN(left),
  notEmpty: (left) => left !== undefined && !Number.isNaN(left),
  equals: (left, right) => left === right,
  notEquals: (left, right) => left !== right,
  gt: (left, right) => left > right,
  lt: (left, right) => left < right,
  gte: (left, right) => left >= right,
  lte: (left, right) => left <= right,
};

const dateTime: Record<string, Test> = {
  empty: (left) => left === undefined,
  notEmpty: (left) => left !== undefined,
  equals: (left, right) => left === right,
  notEquals: (left, right) => left !== right,
  after: (left, right) => left > right,
  before: (left, right) => left < right,
  afterOrEquals: (left, right) => left >= right,
  beforeOrEquals: (left, right) => left <= right,
};

const boolean: Record<string, Test> = {
  empty: (left) => left === undefined,
  notEmpty: (left) => left !== undefined,
  true: (left) => left === true,
  false: (left) => left === false,
  equals: (left, right) => left === right,
  notEquals: (left, right) => left !== right,
};

const length = (left: unknown[] | undefined) => left?.length ?? 0;
const array: Record<string, Test> = {
  empty: (left) => length(left) === 0,
  notEmpty: (left) => length(left) > 0,
  contains: (left, right) => left?.includes(right) ?? false,
  notContains: (left, right) => !(left?.includes(right) ?? false),
  lengthEquals: (left, right) => length(left) === right,
  lengthNotEquals: (left, right) => length(left) !== right,
  lengthGt: (left, right) => length(left) > right,
  lengthLt: (left, right) => length(left) < right,
  lengthGte: (left, right) => length(left) >= right,
  lengthLte: (left, right) => length(left) <= right,
};

const object: Record<string, Test> = {
  empty: (left) => Object.keys(left ?? {}).length === 0,
  notEmpty: (left) => Object.keys(left ?? {}).length > 0,
};

const byType: Record<string, Record<string, Test>> = { string, number, boolean, array, object, dateTime };

export function findOperation(type: string, name: string): Test | undefined {
  const operations = byType[type];
  if (operations && Object.hasOwn(operations, name)) return operations[name];
  return Object.hasOwn(shared, name) ? shared[name] : undefined;
}

/** Compiles `^a.*z$`, or `/^a.*z$/i` with flags. @throws SyntaxError */
export function parsePattern(text: unknown): RegExp {
  const source = String(text ?? '');
  const [, body, flags] = /^\/(.*)\/([a-z]*)$/s.exec(source) ?? [];
  return body === undefined ? new RegExp(source) : new RegExp(body, flags);
}
