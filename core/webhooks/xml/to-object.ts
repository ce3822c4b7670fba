/** XML elements as JSON, by the conventions of the format's older parsers: attributes under a key, lists where repeated. */
import type { XmlElement } from './read-xml.ts';

export interface XmlAsObject {
  /** Key of an element's attributes. */
  attributeKey: string;
  /** Key of an element's text, where it has anything beside. */
  textKey: string;
  /** Every child in a list, also a lone one. */
  arrays: boolean;
  /** The root's own name is the outermost key. */
  root: boolean;
  attributes: boolean;
  /** Attributes beside the children instead of under a key. */
  mergeAttributes: boolean;
  /** Runs of spaces in texts become one. */
  normalize: boolean;
  /** Names of elements in lower case. */
  lowerNames: boolean;
  trim: boolean;
}

export const XML_DEFAULTS: XmlAsObject = {
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

export function xmlToObject(root: XmlElement, options: Partial<XmlAsObject> = {}): unknown {
  const all = { ...XML_DEFAULTS, ...options };
  const value = converted(root, all);
  return all.root ? { [nameOf(root, all)]: value } : value;
}

function converted(element: XmlElement, options: XmlAsObject): unknown {
  const made = new Map<string, unknown>();
  if (options.attributes && element.attributes.length > 0) {
    if (!options.mergeAttributes) made.set(options.attributeKey, Object.fromEntries(element.attributes));
    else for (const [name, value] of element.attributes) add(made, name, value, options);
  }
  const text = textOf(element, options);
  if (text !== '') made.set(options.textKey, text);
  for (const child of element.children) {
    if (typeof child !== 'string') add(made, nameOf(child, options), converted(child, options), options);
  }
  if (made.size === 0) return '';
  return made.size === 1 && text !== '' ? text : Object.fromEntries(made);
}

/** All text in the element itself; spaces alone are layout. */
function textOf(element: XmlElement, { normalize, trim }: XmlAsObject): string {
  const text = element.children.filter((child) => typeof child === 'string').join('');
  if (text.trim() === '') return '';
  if (normalize) return text.replace(/\s{2,}/g, ' ').trim();
  return trim ? text.trim() : text;
}

function add(made: Map<string, unknown>, name: string, value: unknown, { arrays }: XmlAsObject): void {
  const known = made.get(name);
  if (known === undefined) made.set(name, arrays ? [value] : value);
  else if (Array.isArray(known)) known.push(value);
  else made.set(name, [known, value]);
}

function nameOf({ name }: XmlElement, { lowerNames }: XmlAsObject): string {
  return lowerNames ? name.toLowerCase() : name;
}
