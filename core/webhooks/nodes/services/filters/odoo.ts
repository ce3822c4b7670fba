/** Filters and fields of Odoo as its API takes them. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { objectList } from '../../shared/object-list.ts';

const OPERATORS: Record<string, string> = {
  equal: '=',
  notEqual: '!=',
  greaterThen: '>',
  lesserThen: '<',
  greaterOrEqual: '>=',
  lesserOrEqual: '<=',
  like: 'like',
  in: 'in',
  notIn: 'not in',
  childOf: 'child_of',
};

export const odooFilter = (value: unknown) =>
  objectList(value).map(({ fieldName, operator = 'equal', value: expected }) => [
    fieldName,
    OPERATORS[String(operator)] ?? operator,
    expected,
  ]);

/** The fields of a collection, with those of an address among them. */
export function odooFields(value: unknown): JsonObject {
  const { address, ...fields } = isObject(value) ? value : {};
  return { ...fields, ...(isObject(address) && isObject(address.value) && address.value) };
}

/** The name that a hosted database has in its address. */
export const odooDatabase = (address: unknown) =>
  URL.canParse(String(address)) ? new URL(String(address)).hostname.split('.')[0] : undefined;
