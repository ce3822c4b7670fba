/** Converts XML elements to JSON by the conventions of xml2js: attributes under a key, repeated elements as lists. */
import type { XmlElement } from './read-xml.ts';

export interface XmlToObjectOptions {
  /** The key of an element's attributes. */
  attributeKey: string;
  /** The key of an element's text, if the element has attributes or children as well. */
  textKey: string;
  /** Whether each child is in a list, also a single one. */
  arrays: boolean;
  /** Whether the name of the root is the outermost key. */
  root: boolean;
  /** Whether attributes are included. */
  attributes: boolean;
  /** Whether attributes are keys of the element itself. They have a key of their own otherwise. */
  mergeAttributes: boolean;
  /** Whether white space in texts is collapsed. */
  normalize: boolean;
  /** Whether names of elements become lower case. */
  lowerNames: boolean;
  trim: boolean;
}

const DEFAULTS: XmlToObjectOptions = {
  attributeKey: '$',
  textKey: '_',
  arrays: true,
  root: true,
  attributes: true,
  mergeAttributes: false,
  normalize: false,
  lowerNames: false,
  trim: false,
};

/** The root element as JSON. The defaults are those of xml2js. */
export function xmlToObject(root: XmlElement, options: Partial<XmlToObjectOptions> = {}): unknown {
  const allOptions = { ...DEFAULTS, ...options };
  const value = convert(root, allOptions);
  return allOptions.root ? { [nameOf(root, allOptions)]: value } : value;
}

/** An object, or text for an element that has nothing else. */
function convert(element: XmlElement, options: XmlToObjectOptions): unknown {
  const entries = new Map<string, unknown>();
  if (options.attributes && element.attributes.length > 0) {
    if (!options.mergeAttributes) entries.set(options.attributeKey, Object.fromEntries(element.attributes));
    else for (const [name, value] of element.attributes) add(entries, name, value, options);
  }
  const text = textOf(element, options);
  if (text !== '') entries.set(options.textKey, text);
  for (const child of element.children) {
    if (typeof child !== 'string') add(entries, nameOf(child, options), convert(child, options), options);
  }
  if (entries.size === 0) return '';
  return entries.size === 1 && text !== '' ? text : Object.fromEntries(entries);
}

/** All text directly in the element. White space alone is layout, and left out. */
function textOf(element: XmlElement, { normalize, trim }: XmlToObjectOptions): string {
  const text = element.children.filter((child) => typeof child === 'string').join('');
  if (text.trim() === '') return '';
  if (normalize) return text.replace(/\s{2,}/g, ' ').trim();
  return trim ? text.trim() : text;
}

/** Adds a value; a name that repeats has a list. */
function add(
  entries: Map<string, unknown>,
  name: string,
  value: unknown,
  { arrays }: XmlToObjectOptions,
): void {
  const earlier = entries.get(name);
  if (earlier === undefined) entries.set(name, arrays ? [value] : value);
  else if (Array.isArray(earlier)) earlier.push(value);
  else entries.set(name, [earlier, value]);
}

function nameOf({ name }: XmlElement, { lowerNames }: XmlToObjectOptions): string {
  return lowerNames ? name.toLowerCase() : name;
}
