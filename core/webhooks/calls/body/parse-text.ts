/** Bodies that are text, as values. */
import { parse } from 'qs';
import { BodyUnreadable } from './errors.ts';
import { parseXml } from './xml.ts';

const DEEPEST = 500;

export function decodeText(bytes: Uint8Array<ArrayBuffer>, charset: string | undefined): string {
  const name = (charset ?? 'utf-8').toLowerCase();
  if (!/^utf-?(8|16|16le|16be)$/.test(name)) throw new BodyUnreadable(`Unknown encoding: ${name}`);
  return new TextDecoder(name.replace(/^utf-?/, 'utf-')).decode(bytes);
}

export function parseText(kind: 'json' | 'form' | 'text' | 'xml', text: string): unknown {
  switch (kind) {
    case 'json':
      return parseJson(text);
    case 'xml':
      return text.trim() === '' ? {} : parseXml(text);
    case 'form':
      // Flat: brackets in keys mean nothing here.
      return {
        ...parse(text, { depth: 0, parseArrays: false, parameterLimit: 1000, allowPrototypes: true }),
      };
    default:
      return text === '' ? {} : text;
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  if (nesting(text) > DEEPEST) throw new BodyUnreadable(`nested more than ${DEEPEST} levels deep`);
  try {
    return JSON.parse(text) || {};
  } catch (error) {
    throw new BodyUnreadable((error as Error).message);
  }
}

/** Brackets open at once, at most: what is nested without end cannot be printed again. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (quoted) {
      if (sign === 0x5c) at++;
      else if (sign === 0x22) quoted = false;
    } else if (sign === 0x22) quoted = true;
    else if (sign === 0x5b || sign === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (sign === 0x5d || sign === 0x7d) depth--;
  }
  return deepest;
}
