/** Reads values out of HTML by CSS selectors. */
import type { CheerioAPI } from 'cheerio';
import { Lazy } from '#core/base';
import type { JsonObject } from '#core/workflow-format';

/** One value to read. */
export interface Extraction {
  key?: string;
  cssSelector?: string;
  returnValue?: 'attribute' | 'html' | 'text' | 'value';
  attribute?: string;
  /** Elements whose text is left out, separated by commas. */
  skipSelectors?: string;
  returnArray?: boolean;
}

/** Ways in which versions of the nodes differ. */
export interface ExtractionRules {
  trim: boolean;
  /** Whether white space of all kinds becomes one space. */
  cleanUp: boolean;
  /** Whether text without an element is left out, and not empty text. */
  omitsEmptyText: boolean;
  /** Whether text is laid out as a page shows it, and not as it stands in the source. */
  readable: boolean;
}

/** The library is large: it is loaded with the first document. */
const cheerio = new Lazy(() => import('cheerio'));

/** The values by key. A value that the document does not have is left out. */
export async function extractValues(
  html: string,
  extractions: Extraction[],
  rules: ExtractionRules,
): Promise<JsonObject> {
  const { load } = await cheerio.get();
  const document = load(html);
  const json: JsonObject = {};
  for (const extraction of extractions) {
    const selected = document(extraction.cssSelector ?? '');
    const value = extraction.returnArray
      ? selected
          .toArray()
          .map((element) => readValue(document, document(element), extraction, rules))
          .filter((element) => element !== undefined)
      : readValue(document, selected, extraction, rules);
    if (value !== undefined) json[extraction.key ?? ''] = value;
  }
  return json;
}

type Selection = ReturnType<CheerioAPI>;

function readValue(
  document: CheerioAPI,
  selection: Selection,
  { returnValue = 'text', attribute = '', skipSelectors }: Extraction,
  rules: ExtractionRules,
): unknown {
  if (returnValue === 'value') return selection.val();
  const value =
    returnValue === 'attribute'
      ? selection.attr(attribute)
      : returnValue === 'html'
        ? (selection.html() ?? undefined)
        : textOf(document, selection, skipSelectors, rules);
  if (value === undefined) return undefined;
  const trimmed = rules.trim ? value.trim() : value;
  return rules.cleanUp
    ? trimmed
        .trim()
        .replace(/[\r\n]/g, '')
        .replace(/\s+/g, ' ')
    : trimmed;
}

function textOf(
  document: CheerioAPI,
  selection: Selection,
  skipSelectors: string | undefined,
  { omitsEmptyText, readable }: ExtractionRules,
): string | undefined {
  const part = readable ? document(selection.first().clone()) : selection;
  if (readable && skipSelectors) part.find(skipSelectors).remove();
  if (readable) {
    part.find('script, style').remove();
    part.find('br').replaceWith('\n');
    part.find('p, div, li, tr, h1, h2, h3, h4, h5, h6, blockquote, pre').after('\n');
  }
  const text = part.text();
  if (readable)
    return text
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n[ \n]*/g, '\n')
      .trim();
  return text === '' && omitsEmptyText ? undefined : text;
}
