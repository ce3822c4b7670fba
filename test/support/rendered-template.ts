/** The text of Lit templates without a browser, for tests of the logic in them. */
import { nothing } from 'lit';

export interface RenderedTemplate {
  /** Attributes and properties as `name="value"`, `?name="true"` and `.name="value"`. Listeners are left out. */
  html: string;
  /** The listeners in the order of the text. */
  listeners: { event: string; listener: (event: never) => unknown }[];
}

interface Template {
  strings: readonly string[];
  values: readonly unknown[];
}

export function renderTemplate(value: unknown): RenderedTemplate {
  const listeners: RenderedTemplate['listeners'] = [];
  const html = textOf(value, listeners).replace(/\s+/g, ' ').replace(/> </g, '><').trim();
  return { html, listeners };
}

function textOf(value: unknown, listeners: RenderedTemplate['listeners']): string {
  if (value === nothing || value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((each) => textOf(each, listeners)).join('');
  if (typeof value !== 'object') return String(value);
  if ('_$litDirective$' in value) return textOf(directiveValue(value as never), listeners);
  const { strings, values } = value as Template;
  return strings.map((text, at) => (at < values.length ? part(text, values[at], listeners) : text)).join('');
}

/** The text before a value, and the value. */
function part(text: string, value: unknown, listeners: RenderedTemplate['listeners']): string {
  const [attribute, prefix = '', name = ''] = /\s([@?.]?)([\w-]+)=$/.exec(text) ?? [];
  if (attribute === undefined) return text + textOf(value, listeners);
  const before = text.slice(0, -attribute.length);
  if (prefix === '@') {
    listeners.push({ event: name, listener: value as never });
    return before;
  }
  return value === nothing ? before : `${before} ${prefix}${name}="${textOf(value, listeners)}"`;
}

/** The value of `live`, or the templates of `repeat`. */
function directiveValue({ values }: { values: unknown[] }): unknown {
  const [first, ...functions] = values;
  const template = functions.at(-1) as ((item: unknown, index: number) => unknown) | undefined;
  return template ? [...(first as Iterable<unknown>)].map(template) : first;
}
