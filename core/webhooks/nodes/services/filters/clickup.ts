/** Filters of ClickUp. */
import { isObject } from '#core/base';

/** The unit in which nodes of ClickUp have always sent estimates, in milliseconds. */
const ESTIMATE = 6000;

export const clickUpEstimate = (value: unknown) => Number(value) * ESTIMATE;

/** Conditions on fields, as a text. */
export function clickUpFields(value: unknown): string {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return JSON.stringify(
    list.map(({ fieldId, operator = 'equal', value: compared }) => ({
      field_id: fieldId,
      operator: operator === 'equal' ? '=' : operator,
      value: compared,
    })),
  );
}

/** Texts that are numbers are sent as whole numbers. */
export const clickUpValue = (value: unknown) =>
  Number.isNaN(Number(value)) ? value : Math.trunc(Number(value));
