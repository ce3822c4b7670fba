/** Bodies that are text, as values. Large ones let the event loop continue. */
import { decodeText, JsonTooDeep, parsePlainJson } from '#core/http';
import { XmlError } from '../../xml/read-xml.ts';
import type { XmlThread } from '../../xml/xml-thread.ts';
import { BodyUnreadable } from './body-errors.ts';
import { parseForm } from './form-text.ts';

/** Deeper JSON could not be printed again. */
const MAX_NESTING = 500;

export type BodyTextKind = 'json' | 'form' | 'text' | 'xml';

export interface BodyTextContext {
  xml: Pick<XmlThread, 'toObject'>;
  /** Ends when the client disconnects. */
  signal: AbortSignal;
}

const PARSERS: Record<BodyTextKind, (text: string, context: BodyTextContext) => unknown> = {
  json: parseJson,
  form: (text, { signal }) => parseForm(text, signal),
  text: (text) => (text === '' ? {} : text),
  xml: parseXml,
};

/** @throws BodyUnreadable, or the signal's reason */
export async function parseBodyText(
  kind: BodyTextKind,
  text: string,
  context: BodyTextContext,
): Promise<unknown> {
  return await PARSERS[kind](text, context);
}

/** @throws BodyUnreadable for an encoding other than UTF-8 and UTF-16, or the signal's reason */
export function decodeBodyText(
  bytes: Uint8Array<ArrayBuffer>,
  charset: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const name = (charset ?? 'utf-8').toLowerCase();
  if (!/^utf-?(8|16|16le|16be)$/.test(name)) throw new BodyUnreadable(`Unknown encoding: ${name}`);
  return decodeText(bytes, signal, { encoding: name.replace(/^utf-?/, 'utf-') });
}

async function parseJson(text: string, { signal }: BodyTextContext): Promise<unknown> {
  if (text.trim() === '') return {};
  try {
    return (await parsePlainJson(text, MAX_NESTING, signal)) || {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonTooDeep) throw new BodyUnreadable(error.message);
    throw error;
  }
}

/** Element names become lower case, attributes are under `$`, a single child is not in a list. */
async function parseXml(text: string, { xml, signal }: BodyTextContext): Promise<unknown> {
  if (text.trim() === '') return {};
  try {
    return await xml.toObject(text, { normalize: true, lowerNames: true, arrays: false }, signal);
  } catch (error) {
    if (error instanceof XmlError) throw new BodyUnreadable(error.message);
    throw error;
  }
}
