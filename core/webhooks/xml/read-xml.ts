/** Reads XML into a tree. It never expands the entities of a document and never reads another document. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';

export interface XmlElement {
  name: string;
  attributes: [name: string, value: string][];
  children: (XmlElement | string)[];
}

/** A text is not XML. The message says where. */
export class XmlError extends Error {
  override name = 'XmlError';
}

const MAX_DEPTH = 200;
const TEXT = '#text';
const ATTRIBUTES = ':@';

/** The root element. @throws XmlError */
export function readXml(text: string): XmlElement {
  const source = text.replace(/^\uFEFF/, '').trim();
  requireWellFormed(source);
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

/** Unclosed elements are reported in the words of n8n's parser. */
function requireWellFormed(source: string): void {
  const valid = XMLValidator.validate(source);
  if (valid === true) return;
  const { msg, line, col } = valid.err;
  const lines = source.split('\n');
  if (/^Unclosed tag|^Invalid '\[|^Start tag expected/.test(msg)) {
    const message =
      source === '' || !source.startsWith('<') ? 'Non-whitespace before first tag.' : 'Unclosed root tag';
    throw new XmlError(`${message}\nLine: ${lines.length - 1}\nColumn: ${lines.at(-1)!.length}\nChar: `);
  }
  const character = lines[line - 1]?.[col - 1] ?? '';
  throw new XmlError(`${msg}\nLine: ${line - 1}\nColumn: ${col}\nChar: ${character}`);
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
  maxNestedTags: MAX_DEPTH,
  entityDecoder: {
    decode: decodeEntities,
    // Entities that the document declares are not read.
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

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the entities of XML itself and characters by number. Other references stay as they are. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (reference, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name] ?? reference;
      const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)
        ? String.fromCodePoint(code)
        : reference;
    },
  );
}
