import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';

/** The objects of a list from outside. Anything else in it, or in its place, is left out. */
export function objectList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
