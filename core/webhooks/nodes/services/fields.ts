/** Makes parameters of the short notation of `Fields`. */
import { isObject } from '#core/base';
import type { Parameter, ShowConditions } from '#core/workflow-format';
import type { FieldNotation, Fields } from './description.ts';

/** @param show conditions that all parameters have */
export function parametersOf(fields: Fields, show?: ShowConditions): Parameter[] {
  return Object.entries(fields).map(([name, notation]) => parameterOf(name, notation, show));
}

function parameterOf(name: string, notation: FieldNotation, show?: ShowConditions): Parameter {
  const base = { name, label: labelOf(name), ...(show && { show }) };
  if (Array.isArray(notation)) {
    const options = notation.map((value) => ({ value, label: labelOf(String(value)) }));
    return { ...base, type: 'options', default: notation[0], options };
  }
  if (typeof notation === 'string') return { ...base, ...typed(notation) };
  if (!isObject(notation)) {
    return { ...base, type: typeof notation as 'number' | 'boolean', default: notation };
  }
  const { type = 'string', default: value, when, versions, fields, list, group } = notation as Details;
  const conditions = show || when ? { show: { ...show, ...when } } : {};
  const details = { ...base, ...conditions, ...(versions && { versions }) };
  if (fields) {
    return { ...details, type: 'collection', default: value ?? {}, fields: parametersOf(fields) };
  }
  if (list || group) {
    const groups = Object.entries(list ?? group!).map(([key, inner]) => ({
      name: key,
      label: labelOf(key),
      fields: parametersOf(inner),
    }));
    return { ...details, type: 'groups', default: value ?? {}, groups, ...(list && { multiple: true }) };
  }
  const simple = parameterOf(name, type);
  return { ...simple, ...details, ...(value !== undefined && { default: value }) };
}

type Details = Exclude<FieldNotation, string | number | boolean | unknown[]>;

function typed(notation: string): Pick<Parameter, 'type' | 'default' | 'required'> {
  const required = notation.endsWith('!') && { required: true };
  const type = notation.replace('!', '');
  if (type === 'locator')
    return { type: 'locator', default: { __rl: true, mode: 'id', value: '' }, ...required };
  if (type === 'list') return { type: 'json', default: [], ...required };
  const defaults: Record<string, unknown> = { number: 0, boolean: false };
  return { type: type as Parameter['type'], default: defaults[type] ?? '', ...required };
}

const CAPITALS = /^(id|url|html|api|cc|bcc|sql|ssl)$/;

/** `chatId`, `parse_mode` -> `Chat ID`, `Parse Mode` */
export function labelOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_]+/)
    .map((word) =>
      CAPITALS.test(word.toLowerCase()) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(' ');
}
