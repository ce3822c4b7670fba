/** Values of Notion: properties, blocks and conditions as the node stores them, and pages as it outputs them. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';

export function notionTitle(value: unknown): unknown {
  return [{ type: 'text', text: { content: String(value) } }];
}

/** The keys are `NAME|TYPE`. */
export function notionProperties(value: unknown): JsonObject {
  const entries = objectList(value).map((entry): [string, unknown] => {
    const { name, type } = splitKey(entry.key);
    return [name, propertyValue(type, entry)];
  });
  return Object.fromEntries(entries.filter(([, property]) => property !== undefined));
}

function splitKey(key: unknown): { name: string; type: string } {
  const text = String(key ?? '');
  const at = text.lastIndexOf('|');
  return { name: text.slice(0, Math.max(0, at)), type: text.slice(at + 1) };
}

function propertyValue(type: string, entry: JsonObject): unknown {
  const names = (value: unknown) => asList(value).map((name) => ({ name }));
  const ids = (value: unknown) => asList(value).map((id) => ({ id }));
  switch (type) {
    case 'title':
      return { type, title: notionTitle(entry.title ?? '') };
    case 'rich_text':
      return { type, rich_text: richText(entry) };
    case 'phone_number':
      return { type, phone_number: entry.phoneValue };
    case 'email':
      return { type, email: entry.emailValue };
    case 'url':
      if (entry.ignoreIfEmpty === true && !entry.urlValue) return undefined;
      return { type, url: entry.urlValue || null };
    case 'number':
      return { type, number: Number(entry.numberValue ?? 0) };
    case 'checkbox':
      return { type, checkbox: entry.checkboxValue === true };
    case 'select':
    case 'status':
      return { type, [type]: { name: entry[`${type}Value`] } };
    case 'multi_select':
      return { type, multi_select: names(entry.multiSelectValue) };
    case 'people':
      return { type, people: ids(entry.peopleValue) };
    case 'relation':
      return { type, relation: ids(entry.relationValue) };
    case 'date':
      return { type, date: dateValue(entry) };
    case 'files':
      return { type, files: objectList(getPath(entry, 'fileUrls.fileUrl')).map(fileValue) };
    default:
      throw new NodeError(`Notion's properties of the type "${type}" cannot be set`);
  }
}

function asList(value: unknown): unknown[] {
  const list = Array.isArray(value) ? value : String(value ?? '').split(',');
  return list.map((element) => (typeof element === 'string' ? element.trim() : element)).filter(Boolean);
}

function fileValue({ name, url }: JsonObject): JsonObject {
  return { name: name || url, type: 'external', external: { url } };
}

function dateValue(entry: JsonObject): JsonObject | null {
  const { range, includeTime = true, date, dateStart, dateEnd, timezone } = entry;
  const read = (value: unknown) => {
    const text = String(value ?? '');
    return includeTime === false ? text.slice(0, 10) : text;
  };
  const zone = timezone && timezone !== 'default' ? { time_zone: timezone } : {};
  if (range === true) return { start: read(dateStart), end: dateEnd ? read(dateEnd) : null, ...zone };
  return date ? { start: read(date), end: null, ...zone } : null;
}

/** Plain text, or pieces of text with their styles. */
function richText(entry: JsonObject): unknown[] {
  if (entry.richText !== true) return [{ type: 'text', text: { content: String(entry.textContent ?? '') } }];
  return objectList(getPath(entry, 'text.text')).map((piece) => {
    const { text, isLink, textLink } = piece;
    const styles = getPath(piece, 'annotationUi');
    return {
      type: 'text',
      text: { content: String(text ?? ''), ...(isLink === true && { link: { url: textLink } }) },
      ...(isObject(styles) && { annotations: styles }),
    };
  });
}

export function notionBlocks(value: unknown): unknown[] {
  return objectList(value).map((entry) => {
    const type = String(entry.type ?? 'paragraph');
    if (type === 'image') {
      return { object: 'block', type, image: { type: 'external', external: { url: entry.url } } };
    }
    if (type === 'child_page') return { object: 'block', type, child_page: { title: entry.title } };
    const checked = type === 'to_do' && { checked: entry.checked === true };
    return { object: 'block', type, [type]: { ...checked, rich_text: richText(entry) } };
  });
}

const FILTER_FIELDS: Record<string, string> = {
  title: 'titleValue',
  rich_text: 'richTextValue',
  phone_number: 'phoneNumberValue',
  multi_select: 'multiSelectValue',
  select: 'selectValue',
  status: 'statusValue',
  email: 'emailValue',
  url: 'urlValue',
  people: 'peopleValue',
  created_by: 'createdByValue',
  last_edited_by: 'lastEditedByValue',
  relation: 'relationValue',
  checkbox: 'checkboxValue',
  number: 'numberValue',
  date: 'date',
  created_time: 'createdTimeValue',
  last_edited_time: 'lastEditedTime',
};

export function notionFilters(value: unknown): unknown[] {
  return objectList(value).map((entry) => {
    const { name, type } = splitKey(entry.key);
    const condition = String(entry.condition ?? '');
    const fieldName = FILTER_FIELDS[type];
    if (fieldName === undefined)
      throw new NodeError(`Notion's filters of the type "${type}" work as JSON only`);
    // Conditions such as "is empty" have no value of their own.
    const hasNone = /^(is_empty|is_not_empty)$/.test(condition);
    const isPeriod = /^(past|next|this)_/.test(condition);
    return { property: name, [type]: { [condition]: hasNone ? true : isPeriod ? {} : entry[fieldName] } };
  });
}

export function notionSorts(value: unknown): unknown[] {
  return objectList(value).map(({ timestamp, key, direction }) =>
    timestamp === true
      ? { timestamp: key, direction }
      : { property: splitKey(key).name || String(key ?? ''), direction },
  );
}

/** A page or database with the values of its properties. */
export function notionSimple(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { id, object, url, properties } = value;
  if (object === 'database') return { id, name: plainText(value.title), url };
  if (object !== 'page' || !isObject(properties)) return value;
  const titles = Object.values(properties).filter(
    (property) => isObject(property) && property.type === 'title',
  );
  const simple = Object.entries(properties).map(([name, property]) => [
    `property_${snakeCase(name)}`,
    simpleProperty(property),
  ]);
  return {
    id,
    name: plainText((titles[0] as JsonObject | undefined)?.title),
    url,
    ...Object.fromEntries(simple),
  };
}

/** The same in the form of version 1, and of the trigger. */
export function notionSimpleOld(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { id, object, properties } = value;
  if (object === 'database') return { id, title: plainText(value.title) };
  if (object !== 'page' || !isObject(properties)) return value;
  if (getPath(value, 'parent.type') !== 'database_id')
    return { id, name: plainText(getPath(properties, 'title.title')) };
  const simple = Object.entries(properties).map(([name, property]) => [name, simpleProperty(property)]);
  return { id, ...Object.fromEntries(simple) };
}

function simpleProperty(property: unknown): unknown {
  if (!isObject(property)) return property;
  const type = String(property.type ?? '');
  const value = property[type];
  switch (type) {
    case 'title':
    case 'rich_text':
      return plainText(value);
    case 'select':
    case 'status':
      return isObject(value) ? value.name : null;
    case 'multi_select':
      return objectList(value).map(({ name }) => name);
    case 'people':
      return objectList(value).map((person) => getPath(person, 'person.email') ?? person.id);
    case 'relation':
      return objectList(value).map(({ id }) => id);
    case 'files':
      return objectList(value).map((file) => getPath(file, 'file.url') ?? getPath(file, 'external.url'));
    case 'formula':
    case 'rollup':
      return isObject(value) ? value[String(value.type)] : value;
    case 'created_by':
    case 'last_edited_by':
      return isObject(value) ? (value.name ?? value.id) : value;
    default:
      return value;
  }
}

/** A block with its text as one value. */
export function notionBlock(value: unknown): unknown {
  if (!isObject(value)) return value;
  const type = String(value.type ?? '');
  const content = value[type];
  const text = isObject(content) ? (content.rich_text ?? content.text) : undefined;
  const { [type]: _content, ...rest } = value;
  return text === undefined ? value : { ...rest, content: plainText(text) };
}

function plainText(value: unknown): string {
  return objectList(value)
    .map((piece) => piece.plain_text ?? getPath(piece, 'text.content') ?? '')
    .join('');
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}
