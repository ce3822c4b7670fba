/** Filters of WooCommerce. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';

const snakeCase = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/\s+/g, '_')
    .toLowerCase();

/** `{ firstName }` -> `{ first_name }` */
export function snakeFields(value: unknown): JsonObject {
  const fields = isObject(value) ? value : {};
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [snakeCase(name), field]));
}

/** Lines of an order. The fields of their own data become a list. */
export function snakeLines(value: unknown): JsonObject[] {
  const lines = Array.isArray(value) ? value.filter(isObject) : [];
  return lines.map(({ metadataUi, ...line }) => {
    const data = isObject(metadataUi) ? metadataUi.metadataValues : undefined;
    return { ...snakeFields(line), ...(data !== undefined && { meta_data: data }) };
  });
}

export const numberedIds = (value: unknown) =>
  (Array.isArray(value) ? value : []).map((id) => ({ id: Number(id) }));
