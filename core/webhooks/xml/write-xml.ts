/** JSON as XML, by the conventions of the format's older builders. */

export interface XmlWriting {
  attributeKey: string;
  textKey: string;
  /** Name of the outermost element, unless the object has a single key which is it then. */
  rootName: string | undefined;
  /** Without the declaration in the first line. */
  headless: boolean;
  /** Texts with special characters as CDATA instead of escapes. */
  cdata: boolean;
}

/** What cannot be written as XML. */
export class XmlWriteError extends Error {
  override name = 'XmlWriteError';
}

const NAME = /^[\p{L}_:][\p{L}\p{N}_:.\-·]*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Throws `XmlWriteError`: a key that is no name, a character that XML does not have, a circle. */
export function writeXml(value: Record<string, unknown>, options: XmlWriting): string {
  const keys = Object.keys(value);
  const alone = options.rootName === undefined && keys.length === 1;
  const name = alone ? keys[0]! : (options.rootName ?? 'root');
  const lines: string[] = [];
  const root = alone ? value[name] : value;
  element(lines, name, Array.isArray(root) ? { item: root } : root, '', options, new Set());
  const head = options.headless ? [] : ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'];
  return [...head, ...lines].join('\n');
}

function element(
  lines: string[],
  name: string,
  value: unknown,
  indent: string,
  options: XmlWriting,
  above: Set<object>,
): void {
  if (!NAME.test(name)) throw new XmlWriteError(`"${name}" cannot be the name of an XML element`);
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    lines.push(indent + closed(name, '', written(value, options)));
    return;
  }
  if (above.has(value)) throw new XmlWriteError('the data holds itself');
  above.add(value);
  const {
    [options.attributeKey]: attributes,
    [options.textKey]: text,
    ...children
  } = value as Record<string, unknown>;
  const tag = attributesOf(attributes);
  const inner: string[] = [];
  for (const [key, child] of Object.entries(children)) {
    for (const one of Array.isArray(child) ? child : [child]) {
      element(inner, key, one, `${indent}  `, options, above);
    }
  }
  above.delete(value);
  const own = written(text, options);
  if (inner.length === 0) lines.push(indent + closed(name, tag, own));
  else
    lines.push(
      `${indent}<${name}${tag}>`,
      ...(own === '' ? [] : [`${indent}  ${own}`]),
      ...inner,
      `${indent}</${name}>`,
    );
}

function closed(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

function attributesOf(attributes: unknown): string {
  if (typeof attributes !== 'object' || attributes === null) return '';
  return Object.entries(attributes)
    .map(([name, value]) => {
      if (!NAME.test(name)) throw new XmlWriteError(`"${name}" cannot be the name of an XML attribute`);
      const text = plain(value).replace(
        /[&<"\t\n\r]/g,
        (sign) => ESCAPES[sign] ?? `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`,
      );
      return ` ${name}="${text}"`;
    })
    .join('');
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
};

function written(value: unknown, { cdata }: XmlWriting): string {
  const text = plain(value);
  if (cdata && /[&<>]/.test(text)) return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
  return text.replace(/[&<>\r]/g, (sign) => ESCAPES[sign]!);
}

function plain(value: unknown): string {
  const text =
    value === null || value === undefined
      ? ''
      : value instanceof Date
        ? value.toISOString()
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value);
  if (UNWRITABLE.test(text)) throw new XmlWriteError('the data holds a control character, which XML cannot');
  return text;
}
