/** Fills the templates of a service's description with values. */
import { isObject } from '#core/base';
import type { JsonObject, ShowConditions } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { commaList } from '../shared/comma-list.ts';
import { labelOf } from './fields.ts';
import { FileValue, toBase64 } from './file-value.ts';
import { filters } from './filters.ts';
import { mailText } from './mail-text.ts';

/** Where templates look values up: parameters, and `credential.…`, `step.…`, `found.…`, `item.…`. */
export interface Scope {
  get(path: string): Promise<unknown>;
  /** The item's file under the name that a parameter holds. */
  file(path: string): Promise<FileValue>;
  fileNamed(name: string): Promise<FileValue>;
  /** The JSON of the item. */
  item: JsonObject;
  /** Templates that several operations share. */
  templates: JsonObject;
}

/** The filled value. Undefined: it has no value, and is left out. */
export async function fill(template: unknown, scope: Scope): Promise<unknown> {
  if (typeof template === 'string')
    return template.startsWith('$') ? read(template.slice(1), scope) : template;
  if (Array.isArray(template)) {
    const filled = await Promise.all(template.map((element) => fill(element, scope)));
    return filled.filter((element) => element !== undefined);
  }
  if (!isObject(template)) return template;
  if ('$when' in template) {
    const holds = await allHold(template.$when as ShowConditions, scope);
    return fill(holds ? template.then : template.else, scope);
  }
  if (typeof template.$template === 'string') return fill(scope.templates[template.$template], scope);
  if (typeof template.$apply === 'string')
    return filterOf(template.$apply)(await fill(template.to, scope), scope.item);
  if (Array.isArray(template.$first)) return firstOf(template.$first, scope);
  if (typeof template.$text === 'string') return fillText(template.$text, scope, (value) => value);
  if (typeof template.$file === 'string') return fileOf(template, scope);
  if (typeof template.$namedFile === 'string') return namedFile(template.$namedFile, scope);
  if (typeof template.$attached === 'string') return attachedFiles(template, scope);
  if (typeof template.$files === 'string') return filesOf(template.$files, scope);
  if (typeof template.$fileSize === 'string') return (await scope.file(template.$fileSize)).bytes.length;
  if (typeof template.$fileType === 'string') return (await scope.file(template.$fileType)).mimeType;
  if (typeof template.$fileName === 'string') {
    return (await fill(template.or, scope)) ?? (await scope.file(template.$fileName)).fileName ?? 'file';
  }
  if (template.$mail !== undefined) return mailOf(template.$mail, scope);
  if (typeof template.$base64 === 'string') return toBase64((await scope.file(template.$base64)).bytes);
  return fillObject(template, scope);
}

/** Whether all parameters have one of their values. `null` is a parameter without a value. */
export async function allHold(conditions: ShowConditions | undefined, scope: Scope): Promise<boolean> {
  for (const [path, values] of Object.entries(conditions ?? {})) {
    if (!values.includes((await scope.get(path)) ?? null)) return false;
  }
  return true;
}

/** A text with `{name|filter}`. Values in addresses are encoded, except those of `{+name}`. */
export async function fillText(
  template: string,
  scope: Scope,
  encode: (value: string, name: string) => string = pathPart,
): Promise<string> {
  let text = '';
  let end = 0;
  for (const match of template.matchAll(/\{(\+?)([\w.|]+)\}/g)) {
    const value = String((await read(match[2]!, scope)) ?? '');
    text += template.slice(end, match.index) + (match[1] === '+' ? value : encode(value, match[2]!));
    end = match.index + match[0].length;
  }
  return text + template.slice(end);
}

/**
 * One part of a path.
 * @throws NodeError for a part that would lead to another address than that of the operation
 */
function pathPart(value: string, name: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  const label = labelOf(name.split('|')[0]!);
  throw new NodeError(
    value === '' ? `The parameter "${label}" is empty` : `"${value}" is no value of "${label}"`,
  );
}

async function fillObject(template: JsonObject, scope: Scope): Promise<JsonObject | undefined> {
  const filled: JsonObject = {};
  for (const [key, value] of Object.entries(template)) {
    if (key === '...') {
      for (const part of Array.isArray(value) ? value : [value])
        Object.assign(filled, await spread(part, scope));
      continue;
    }
    const inner = await fill(value, scope);
    if (inner !== undefined) filled[key] = inner;
  }
  return Object.keys(filled).length === 0 && Object.keys(template).length > 0 ? undefined : filled;
}

/** The fields of a collection, as they are called there, or those of a shared template. */
async function spread(part: unknown, scope: Scope): Promise<JsonObject> {
  if (isObject(part) && typeof part.template === 'string') {
    const shared = await fill(scope.templates[part.template], scope);
    return isObject(shared) ? shared : {};
  }
  const {
    from,
    without = [],
    names = {},
  } = (typeof part === 'string' ? { from: part } : part) as {
    from: string;
    without?: string[];
    /** Other names for some. */
    names?: Record<string, string>;
  };
  const value = await read(from, scope);
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !without.includes(key) && !isEmpty(inner))
      .map(([key, inner]) => [names[key] ?? key, plainValue(inner)]),
  );
}

/** @param expression `path|filter|filter` */
async function read(expression: string, scope: Scope): Promise<unknown> {
  const [path = '', ...names] = expression.split('|');
  let value = plainValue(await scope.get(path));
  if (isEmpty(value)) return undefined;
  for (const name of names) {
    value = filterOf(name)(value, scope.item);
    if (value === undefined) return undefined;
  }
  return value;
}

function filterOf(name: string) {
  const filter = filters[name];
  if (!filter) throw new Error(`the description of the service names an unknown filter: ${name}`);
  return filter;
}

/** The first of several values that is there. */
async function firstOf(templates: unknown[], scope: Scope): Promise<unknown> {
  for (const template of templates) {
    const value = await fill(template, scope);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A resource that was chosen from a list is stored with how it was chosen. */
function plainValue(value: unknown): unknown {
  return isObject(value) && value.__rl === true ? value.value : value;
}

function isEmpty(value: unknown): boolean {
  return (
    (Array.isArray(value) && value.length === 0) || value === undefined || value === null || value === ''
  );
}

/** A message as mail servers take it, in the base64 of addresses. */
async function mailOf(template: unknown, scope: Scope): Promise<string> {
  const { attachments, ...fields } = ((await fill(template, scope)) ?? {}) as JsonObject;
  const names = commaList(attachments);
  const files = await Promise.all(names.map((name) => scope.fileNamed(name)));
  return toBase64(new TextEncoder().encode(mailText(fields, files)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_');
}

async function fileOf(template: JsonObject, scope: Scope): Promise<FileValue> {
  const file = await scope.file(String(template.$file));
  const name = await fill(template.fileName, scope);
  return name === undefined ? file : new FileValue(file.bytes, file.mimeType, String(name));
}

/** A file under the name of its field in a form, from `name` or `field:name`. */
async function namedFile(path: string, scope: Scope): Promise<JsonObject> {
  const [first = '', second] = String((await scope.get(path)) ?? '').split(':');
  return { [second === undefined ? 'file' : first]: await scope.fileNamed(second ?? first) };
}

/** Files in base64, as objects: the parts `content`, `name` and `type` under the names of `as`. */
async function attachedFiles(template: JsonObject, scope: Scope): Promise<JsonObject[] | undefined> {
  const names = commaList((await scope.get(String(template.$attached))) ?? '');
  const as = isObject(template.as) ? template.as : {};
  const files = await Promise.all(names.map((name) => scope.fileNamed(name)));
  const list = files.map(({ bytes, fileName, mimeType }) => ({
    [String(as.content)]: toBase64(bytes),
    [String(as.name)]: fileName ?? 'unknown',
    [String(as.type)]: mimeType,
  }));
  return list.length === 0 ? undefined : list;
}

/** The files whose names are in the groups of a parameter. */
async function filesOf(path: string, scope: Scope): Promise<FileValue[] | undefined> {
  const groups = await scope.get(path);
  const names = (Array.isArray(groups) ? groups.filter(isObject) : []).flatMap(({ binaryPropertyName }) =>
    commaList(binaryPropertyName),
  );
  return names.length === 0 ? undefined : Promise.all(names.map((name) => scope.fileNamed(name)));
}
