/** Writes JSON as XML by the conventions of xml2js. Decision 0028 says why no library does it. */
import { jsonText } from '#core/base';

export interface XmlWriteOptions {
  /** The key whose object holds an element's attributes. */
  attributeKey: string;
  /** The key whose value is an element's text. */
  textKey: string;
  /** The name of the root. Without it, an object with one key has that key as its root. */
  rootName: string | undefined;
  /** Whether to leave out the XML declaration. */
  headless: boolean;
  /** Whether text with special characters becomes CDATA. It is escaped otherwise. */
  cdata: boolean;
}

/** Data that cannot be written as XML. The message says why. */
export class XmlWriteError extends Error {
  override name = 'XmlWriteError';
}

const NAME = /^[\p{L}_:][\p{L}\p{N}_:.\-·]*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
};

/** @throws XmlWriteError for a key that is not a name, a character that XML lacks, and data that contains itself */
export function writeXml(value: Record<string, unknown>, options: XmlWriteOptions): string {
  const keys = Object.keys(value);
  const hasOwnRoot = options.rootName === undefined && keys.length === 1;
  const name = hasOwnRoot ? keys[0]! : (options.rootName ?? 'root');
  const root = hasOwnRoot ? value[name] : value;
  const writer = new XmlWriter(options);
  writer.element(name, Array.isArray(root) ? { item: root } : root, '');
  const declaration = options.headless ? [] : ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'];
  return [...declaration, ...writer.lines].join('\n');
}

class XmlWriter {
  readonly lines: string[] = [];
  /** The objects of the elements that are open. */
  readonly #open = new Set<object>();

  constructor(private readonly options: XmlWriteOptions) {}

  element(name: string, value: unknown, indent: string): void {
    if (!NAME.test(name)) throw new XmlWriteError(`"${name}" cannot be the name of an XML element`);
    if (typeof value !== 'object' || value === null || value instanceof Date) {
      this.#leaf(name, '', this.#text(value), indent);
      return;
    }
    if (this.#open.has(value)) throw new XmlWriteError('the data holds itself');
    this.#open.add(value);
    const { attributeKey, textKey } = this.options;
    const { [attributeKey]: attributes, [textKey]: ownText, ...fields } = value as Record<string, unknown>;
    const tag = attributesText(attributes);
    const text = this.#text(ownText);
    // A list is a sequence of elements with the same name.
    const children = Object.entries(fields).flatMap(([key, field]) =>
      (Array.isArray(field) ? field : [field]).map((child: unknown) => [key, child] as const),
    );
    if (children.length === 0) this.#leaf(name, tag, text, indent);
    else {
      this.lines.push(`${indent}<${name}${tag}>`);
      if (text !== '') this.lines.push(`${indent}  ${text}`);
      for (const [key, child] of children) this.element(key, child, `${indent}  `);
      this.lines.push(`${indent}</${name}>`);
    }
    this.#open.delete(value);
  }

  /** An element without children, in one line. */
  #leaf(name: string, attributes: string, content: string, indent: string): void {
    const tag = `${indent}<${name}${attributes}`;
    this.lines.push(content === '' ? `${tag}/>` : `${tag}>${content}</${name}>`);
  }

  #text(value: unknown): string {
    const text = plainText(value);
    if (this.options.cdata && /[&<>]/.test(text)) {
      // `]]>` would end the section: it is split over two.
      return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
    }
    return text.replace(/[&<>\r]/g, (character) => ESCAPES[character]!);
  }
}

function attributesText(attributes: unknown): string {
  if (typeof attributes !== 'object' || attributes === null) return '';
  return Object.entries(attributes)
    .map(([name, value]) => {
      if (!NAME.test(name)) throw new XmlWriteError(`"${name}" cannot be the name of an XML attribute`);
      return ` ${name}="${plainText(value).replace(/[&<"\t\n\r]/g, escapeInAttribute)}"`;
    })
    .join('');
}

function escapeInAttribute(character: string): string {
  return ESCAPES[character] ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`;
}

function plainText(value: unknown): string {
  let text: string;
  if (value === null || value === undefined) text = '';
  else if (value instanceof Date) text = value.toISOString();
  else text = jsonText(value);
  if (UNWRITABLE.test(text)) throw new XmlWriteError('the data holds a control character, which XML cannot');
  return text;
}
