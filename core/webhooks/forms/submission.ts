/** Makes the item of a submitted form. */
import { DateTime } from 'luxon';
import type { Binary, Item, JsonObject } from '#core/workflow-format';
import { type FormField, type FormPage, hasSeveralChoices, nameOfField } from './form-page.ts';

/** The submitted values and files, by the names of the page's elements: `field-0`. */
export interface FormBody {
  values: Map<string, string[]>;
  files: Map<string, Binary[]>;
}

interface SubmissionRules {
  page: Pick<FormPage, 'fields' | 'localTime' | 'isAnswer'>;
  /** Milliseconds since 1970. */
  now: number;
  timezone: string;
  test: boolean;
}

/** The item. A field without a value is null. */
export function submittedItem(body: FormBody, { page, now, timezone, test }: SubmissionRules): Item {
  const json: JsonObject = {};
  const binary: Record<string, Binary> = {};
  for (const [index, field] of page.fields.entries()) {
    const key = `field-${index}`;
    if (field.fieldType === 'file') addFiles(json, binary, field, body.files.get(key) ?? []);
    else addValue(json, field, body.values.get(key));
  }
  if (page.isAnswer) return itemOf({ data: json }, binary);
  const time = DateTime.fromMillis(now, { zone: page.localTime ? timezone : 'utc' });
  json.submittedAt = time.toISO();
  json.formMode = test ? 'test' : 'production';
  return itemOf(json, binary);
}

function itemOf(json: JsonObject, binary: Record<string, Binary>): Item {
  return {
    json,
    ...(Object.keys(binary).length > 0 && { binary }),
    pairedItem: { item: 0 },
  };
}

function addValue(json: JsonObject, field: FormField, values: string[] | undefined): void {
  // A custom element has a value only where its HTML sets one.
  if (values && field.fieldType === 'html') {
    if (field.elementName) put(json, field.elementName, values[0]);
  } else put(json, nameOfField(field), values ? submittedValue(field, values) : null);
}

function submittedValue(field: FormField, values: string[]): unknown {
  const [first = ''] = values;
  if (field.fieldType === 'number') {
    const number = Number(first);
    return first.trim() === '' || Number.isNaN(number) ? null : number;
  }
  if (hasSeveralChoices(field)) return choices(values);
  if (field.fieldType === 'radio') return choices(values)[0] ?? null;
  return first.trim();
}

/** A page sends its choices as one list in JSON. A form without scripts sends each alone. */
function choices(values: string[]): unknown[] {
  const [first = ''] = values;
  if (values.length === 1 && first.trim().startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(first);
      if (Array.isArray(parsed)) return parsed;
    } catch {
      // Then it is the text of a choice.
    }
  }
  return values.filter((value) => value !== '');
}

function addFiles(json: JsonObject, binary: Record<string, Binary>, field: FormField, files: Binary[]): void {
  const name = nameOfField(field);
  const described = files.map(({ fileName, mimeType, bytes }) => ({
    filename: fileName ?? '',
    mimetype: mimeType,
    size: bytes ?? 0,
  }));
  if (files.length === 0) put(json, name, null);
  else put(json, name, field.multipleFiles ? described : described[0]);
  const property = name.replace(/\W/g, '_');
  for (const [index, file] of files.entries()) {
    binary[field.multipleFiles ? `${property}_${index}` : property] = file;
    if (!field.multipleFiles) break;
  }
}

/** Defined, because an assignment to `__proto__` would not make a field. */
function put(json: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(json, name, { value, enumerable: true, writable: true, configurable: true });
}
