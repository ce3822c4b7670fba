/** Fills `{field}` in texts of credential types with a credential's values. */
import type { JsonObject } from '#core/workflow-format';

/** `{a|b}` is the first of the fields that is not empty. Missing fields are empty. */
export function fillFields(text: string, data: JsonObject): string {
  return text.replace(/\{([\w|]+)\}/g, (_text, names: string) => {
    const values = names.split('|').map((name) => (Object.hasOwn(data, name) ? data[name] : undefined));
    return String(values.find((value) => value !== undefined && value !== null && value !== '') ?? '');
  });
}

/** The names and texts of an object, filled. Those that are empty then are left out. */
export function fillAll(texts: Record<string, string> | undefined, data: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts ?? {})
      .map(([name, text]) => [fillFields(name, data), fillFields(text, data)] as const)
      .filter(([name, text]) => name !== '' && text !== ''),
  );
}
