/** XML as a tree. Entities of a document's own are never expanded, nothing outside of it is ever read. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';

export interface XmlElement {
  name: string;
  attributes: [name: string, value: string][];
  children: (XmlElement | string)[];
}

/** The text is no XML; the message says where. */
export class XmlError extends Error {
  override name = 'XmlError';
}

const DEEPEST = 200;
const TEXT = '#text';
const ATTRIBUTES = ':@';

/** The root element. Throws `XmlError`. */
export function readXml(text: string): XmlElement {
  const source = text.replace(/^\uFEFF/, '').trim();
  requireWhole(source);
  let nodes: OrderedNode[];
  try {
    nodes = parser.parse(source) as OrderedNode[];
  } catch (error) {
    throw new XmlError((error as Error).message);
  }
  const roots = nodes.map(elementOf).filter((node) => typeof node !== 'string');
  if (roots.length !== 1) throw new XmlError(`A document has one root element, this one has ${roots.length}`);
  return roots[0]!;
}

function requireWhole(source: string): void {
  const valid = XMLValidator.validate(source);
  if (valid === true) return;
  const { msg, line, col } = valid.err;
  const lines = source.split('\n');
  if (/^Unclosed tag|^Invalid '\[|^Start tag expected/.test(msg)) {
    const what =
      source === '' || !source.startsWith('<') ? 'Non-whitespace before first tag.' : 'Unclosed root tag';
    throw new XmlError(`${what}\nLine: ${lines.length - 1}\nColumn: ${lines.at(-1)!.length}\nChar: `);
  }
  const sign = lines[line - 1]?.[col - 1] ?? '';
  throw new XmlError(`${msg}\nLine: ${line - 1}\nColumn: ${col}\nChar: ${sign}`);
}

type OrderedNode = Record<string, unknown>;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  textNodeName: TEXT,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: DEEPEST,
  entityDecoder: {
    decode: decodeEntities,
    // Those of the document: left unread.
    addInputEntities: () => {},
    setExternalEntities: () => {},
    setXmlVersion: () => {},
    reset: () => {},
  },
});

function elementOf(node: OrderedNode): XmlElement | string {
  if (TEXT in node) return String(node[TEXT]);
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES)!;
  return {
    name,
    attributes: Object.entries((node[ATTRIBUTES] ?? {}) as Record<string, string>),
    children: (node[name] as OrderedNode[]).map(elementOf),
  };
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Those of XML itself, and characters by number; what is none of them stays as it stands. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (all, decimal, hex, name) => {
      if (name !== undefined) return NAMED[name] ?? all;
      const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)
        ? String.fromCodePoint(code)
        : all;
    },
  );
}
