/** Reads RSS 0.9 to 2.0 and Atom (RFC 4287) into items with the fields that workflows expect. */
import { readXml, type XmlElement } from '#core/webhooks/xml/read-xml.ts';
import type { JsonObject } from '#core/workflow-format';

/** The text is XML, but not a feed. */
export class FeedError extends Error {
  override name = 'FeedError';
}

/** Elements whose text becomes a field, in the order of the fields. `author` fills `creator`, as `dc:creator` does. */
const TEXT_FIELDS: [element: string, field: string][] = [
  ['author', 'creator'],
  ['dc:creator', 'creator'],
  ['dc:date', 'date'],
  ['dc:language', 'language'],
  ['dc:rights', 'rights'],
  ['dc:source', 'source'],
  ['dc:title', 'title'],
  ['title', 'title'],
  ['link', 'link'],
  ['pubDate', 'pubDate'],
  ['author', 'author'],
  ['summary', 'summary'],
  ['content:encoded', 'content:encoded'],
  ['dc:creator', 'dc:creator'],
  ['dc:date', 'dc:date'],
  ['comments', 'comments'],
];

/**
 * The entries of a feed.
 * @param custom names of further elements whose text becomes a field
 * @throws XmlError, FeedError
 */
export function readFeed(text: string, custom: string[] = []): JsonObject[] {
  const root = readXml(text);
  if (root.name === 'feed') return childrenOf(root, 'entry').map((entry) => atomItem(entry, custom));
  const channel = childOf(root, 'channel');
  if (root.name === 'rss' && channel) {
    return childrenOf(channel, 'item').map((item) => rssItem(item, custom));
  }
  if (root.name === 'rdf:RDF') return childrenOf(root, 'item').map((item) => rssItem(item, custom));
  throw new FeedError('Feed not recognized as RSS 1 or 2.');
}

function rssItem(item: XmlElement, custom: string[]): JsonObject {
  const json: JsonObject = {};
  for (const [element, field] of TEXT_FIELDS) {
    const found = childOf(item, element);
    if (!found) continue;
    json[field] = textOf(found);
    if (field === 'content:encoded') json['content:encodedSnippet'] = snippetOf(textOf(found));
  }
  const enclosure = childOf(item, 'enclosure');
  if (enclosure) json.enclosure = Object.fromEntries(enclosure.attributes);
  const description = childOf(item, 'description');
  if (description) {
    json.content = textOf(description);
    json.contentSnippet = snippetOf(textOf(description));
  }
  const guid = childOf(item, 'guid');
  if (guid) json.guid = textOf(guid);
  const about = item.attributes.find(([name]) => name === 'rdf:about');
  if (about) json['rdf:about'] = about[1];
  const categories = childrenOf(item, 'category');
  if (categories.length > 0) json.categories = categories.map(textOf);
  return finish(json, item, custom);
}

function atomItem(entry: XmlElement, custom: string[]): JsonObject {
  const json: JsonObject = {};
  const text = (name: string) => {
    const found = childOf(entry, name);
    return found ? textOf(found) : '';
  };
  if (text('title') !== '') json.title = text('title');
  const links = childrenOf(entry, 'link');
  const relation = (link: XmlElement) => attributeOf(link, 'rel') ?? 'alternate';
  const link = links.find((candidate) => relation(candidate) === 'alternate') ?? links[0];
  if (link) json.link = attributeOf(link, 'href');
  const date = text('published') || text('updated');
  if (date !== '') json.pubDate = isoDate(date) ?? date;
  const author = childOf(entry, 'author');
  const name = author && childOf(author, 'name');
  if (name) json.author = textOf(name);
  const content = childOf(entry, 'content');
  if (content) {
    json.content = textOf(content);
    json.contentSnippet = snippetOf(textOf(content));
  }
  if (childOf(entry, 'summary')) json.summary = text('summary');
  if (text('id') !== '') json.id = text('id');
  return finish(json, entry, custom);
}

function finish(json: JsonObject, element: XmlElement, custom: string[]): JsonObject {
  for (const name of custom) {
    const found = childOf(element, name);
    if (found) json[name] = textOf(found);
  }
  const date = json.pubDate ?? json.date;
  const iso = date === undefined ? undefined : isoDate(String(date));
  if (iso !== undefined) json.isoDate = iso;
  return json;
}

function isoDate(text: string): string | undefined {
  const millis = Date.parse(text.trim());
  return Number.isNaN(millis) ? undefined : new Date(millis).toISOString();
}

/** Text without tags, and with line breaks where blocks of text end. */
function snippetOf(html: string): string {
  return html
    .replace(/([^\n])<\/?(?:h|br|p|ul|ol|li|blockquote|section|table|tr|div)\b[^>]*>([^\n])/g, '$1\n$2')
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (_reference, name: string) => ENTITIES[name] ?? '')
    .trim();
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  '#39': "'",
};

/** The text of an element and of all inside of it: the parser joins CDATA with it. */
function textOf(element: XmlElement): string {
  return element.children
    .map((child) => (typeof child === 'string' ? child : textOf(child)))
    .join('')
    .trim();
}

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement => typeof child !== 'string' && child.name === name,
  );
}

const childOf = (element: XmlElement, name: string): XmlElement | undefined => childrenOf(element, name)[0];
const attributeOf = (element: XmlElement, name: string) =>
  element.attributes.find(([key]) => key === name)?.[1];
