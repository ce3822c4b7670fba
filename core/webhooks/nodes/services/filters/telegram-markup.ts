import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';

/** The rows of a keyboard, as the Telegram node stores them: groups of groups. */
export function telegramMarkup(value: unknown): unknown {
  const rows = isObject(value) && Array.isArray(value.rows) ? (value.rows as JsonObject[]) : [];
  return rows.map(({ row }) => {
    const buttons = isObject(row) && Array.isArray(row.buttons) ? (row.buttons as JsonObject[]) : [];
    return buttons.map(({ text, additionalFields }) => ({
      text,
      ...(isObject(additionalFields) && buttonFields(additionalFields)),
    }));
  });
}

function buttonFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
