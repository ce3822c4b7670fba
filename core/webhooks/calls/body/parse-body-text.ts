/** Bodies that are text, as values. */
import { parse } from 'qs';
import { readXml, XmlError } from '../../xml/read-xml.ts';
import { xmlToObject } from '../../xml/to-object.ts';
import { BodyUnreadable } from './body-errors.ts';

/** Deeper JSON could not be printed again. */
const MAX_NESTING = 500;

export type BodyTextKind = 'json' | 'form' | 'text' | 'xml';

const PARSERS: Record<BodyTextKind, (text: string) => unknown> = {
  json: parseJson,
  form: parseForm,
  text: (text) => (text === '' ? {} : text),
  xml: parseXml,
};

/** @throws BodyUnreadable */
export function parseBodyText(kind: BodyTextKind, text: string): unknown {
  return PARSERS[kind](text);
}

/** @throws BodyUnreadable for an encoding other than UTF-8 and UTF-16 */
export function decodeBodyText(bytes: Uint8Array<ArrayBuffer>, charset: string | undefined): string {
  const name = (charset ?? 'utf-8').toLowerCase();
  if (!/^utf-?(8|16|16le|16be)$/.test(name)) throw new BodyUnreadable(`Unknown encoding: ${name}`);
  return new TextDecoder(name.replace(/^utf-?/, 'utf-')).decode(bytes);
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  if (nesting(text) > MAX_NESTING) throw new BodyUnreadable(`nested more than ${MAX_NESTING} levels deep`);
  try {
    return JSON.parse(text) || {};
  } catch (error) {
    throw new BodyUnreadable((error as Error).message);
  }
}

/** Brackets in names have no meaning here: n8n parses forms flat. */
function parseForm(text: string): unknown {
  return { ...parse(text, { depth: 0, parseArrays: false, parameterLimit: 1000, allowPrototypes: true }) };
}

/** Element names become lower case, attributes are under `$`, a single child is not in a list. */
function parseXml(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return xmlToObject(readXml(text), { normalize: true, lowerNames: true, arrays: false });
  } catch (error) {
    if (error instanceof XmlError) throw new BodyUnreadable(error.message);
    throw error;
  }
}

/** The largest number of brackets that are open at once. Valid JSON is not required. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isQuoted = false;
    } else if (code === 0x22) isQuoted = true;
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}
