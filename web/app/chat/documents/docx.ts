/** Reads the text of Word documents (ECMA-376, Office Open XML). Loaded with the first one. */
import { strFromU8, unzipSync } from 'fflate';
import { chatPartStrings } from '../../strings/chat-parts.ts';

const words = chatPartStrings.word;

/** Bytes of an unpacked part: a small archive can unpack to a huge size. */
const MAX_PART_SIZE = 50_000_000;
/** The parts that have text, in the order of their texts. */
const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/** Elements whose text is not part of the document: deleted and moved text, field codes, copies for old programs. */
const HIDDEN = new Set([
  'del',
  'moveFrom',
  'instrText',
  'delInstrText',
  'Fallback',
  'rPr',
  'sectPr',
  'tblPr',
]);

/**
 * The text of a document as lines of Markdown: headings, lists, and rows of tables. Footnotes follow at the end.
 * Rejects when the file is not a Word document.
 */
export async function docxText(bytes: Uint8Array): Promise<string> {
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (PARTS.includes(name) && originalSize > MAX_PART_SIZE) throw new Error(words.tooLarge(name));
      return PARTS.includes(name);
    },
  });
  if (!parts[PARTS[0]!]) throw new Error(words.missing(PARTS[0]!));
  const texts = PARTS.flatMap((name) => (parts[name] ? [partText(strFromU8(parts[name]))] : []));
  return texts.filter(Boolean).join('\n\n');
}

function partText(xml: string): string {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  if (document.querySelector('parsererror')) throw new Error(words.damaged);
  return blocks(document.documentElement)
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The paragraphs and tables below an element. */
function blocks(element: Element): string[] {
  const found: string[] = [];
  for (const child of element.children) {
    if (HIDDEN.has(child.localName)) continue;
    if (child.localName === 'p') found.push(...paragraph(child));
    else if (child.localName === 'tbl') found.push(table(child));
    else found.push(...blocks(child));
  }
  return found.filter((text) => text.trim() !== '');
}

/** A paragraph, and after it those of the text boxes that are anchored in it. */
function paragraph(element: Element): string[] {
  const properties = childOf(element, 'pPr');
  const style = valOf(properties && childOf(properties, 'pStyle'));
  const [, level] = /^(?:heading|berschrift)\s?([1-6])$/i.exec(style) ?? [];
  const list = properties && childOf(properties, 'numPr');
  const mark = level ? `${'#'.repeat(Number(level))} ` : list ? `${'  '.repeat(depthOf(list))}- ` : '';
  const boxes: string[] = [];
  const text = runs(element, boxes).trim();
  return [text === '' ? '' : mark + text, ...boxes];
}

const depthOf = (list: Element) => Number(valOf(childOf(list, 'ilvl'))) || 0;

/** The text of the runs below an element. Text boxes are added to `boxes`. */
function runs(element: Element, boxes: string[]): string {
  let text = '';
  for (const child of element.children) {
    const { localName } = child;
    if (localName === 't') text += child.textContent;
    else if (localName === 'tab') text += '\t';
    else if (localName === 'br' || localName === 'cr') text += '\n';
    else if (localName === 'noBreakHyphen') text += '-';
    else if (localName === 'txbxContent') boxes.push(...blocks(child));
    else if (!HIDDEN.has(localName) && localName !== 'pPr') text += runs(child, boxes);
  }
  return text;
}

function table(element: Element): string {
  return partsOf(element, 'tr')
    .map((row) => {
      const cells = partsOf(row, 'tc').map((cell) => blocks(cell).join(' ').replace(/\s+/g, ' '));
      return `| ${cells.join(' | ')} |`;
    })
    .join('\n');
}

/** The rows of a table or the cells of a row, also those in content controls. */
function partsOf(element: Element, name: string): Element[] {
  return [...element.children].flatMap((child) => {
    if (child.localName === name) return [child];
    return /^(sdt|sdtContent|customXml)$/.test(child.localName) ? partsOf(child, name) : [];
  });
}

const childOf = (element: Element, name: string) =>
  [...element.children].find(({ localName }) => localName === name);

const valOf = (element: Element | undefined) =>
  [...(element?.attributes ?? [])].find(({ localName }) => localName === 'val')?.value ?? '';
