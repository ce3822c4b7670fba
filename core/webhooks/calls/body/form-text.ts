/** Bodies of the type `application/x-www-form-urlencoded`, decoded in steps. */

import { parse } from 'qs';
import { runYielding, type Steps } from '#core/base';

/** Fields beyond this number are left out, as n8n does. */
const MAX_FIELDS = 1000;
/** Characters that are decoded in one step. */
export const FORM_STEP = 32 * 1024;

/** Brackets in names have no meaning here: n8n parses forms flat. @throws the signal's reason */
export function parseForm(text: string, signal: AbortSignal): Promise<unknown> {
  return runYielding(formSteps(text), signal);
}

/** The steps of `parseForm`. */
export function* formSteps(text: string): Steps<unknown> {
  const decoded: string[] = [];
  const marks: string[] = [];
  for (const part of text.split('&', MAX_FIELDS)) {
    const bracket = yield* bracketEnd(part);
    const equals = bracket ?? part.indexOf('=');
    const key = equals < 0 ? part : part.slice(0, equals);
    // The library sees short marks, and replaces them by the decoded texts.
    marks.push(
      `${yield* mark(key, decoded)}${equals < 0 ? '' : `=${yield* mark(part.slice(equals + 1), decoded)}`}`,
    );
  }
  return {
    ...parse(marks.join('&'), {
      depth: 0,
      parseArrays: false,
      parameterLimit: MAX_FIELDS,
      allowPrototypes: true,
      decoder: (place) => (place === '' ? '' : decoded[Number(place)]!),
    }),
  };
}

/** A name in brackets ends with the first `]=`: names may hold `=`. */
function* bracketEnd(part: string): Steps<number | undefined> {
  const at = part.search(/(?:\]|%5D)=/i);
  yield;
  return at < 0 ? undefined : part.indexOf('=', at);
}

function* mark(text: string, decoded: string[]): Steps<string> {
  if (text === '') return '';
  return String(decoded.push(yield* decode(text)) - 1);
}

/** The text stays as it is, with its spaces, where its escapes are not UTF-8. */
function* decode(text: string): Steps<string> {
  const parts: string[] = [];
  try {
    for (let at = 0; at < text.length; ) {
      const end = pieceEnd(text, at + FORM_STEP);
      parts.push(decodeURIComponent(text.slice(at, end).replaceAll('+', ' ')));
      at = end;
      yield;
    }
    return parts.join('');
  } catch {
    yield;
    return text.replaceAll('+', ' ').replace(/%5B/gi, '[').replace(/%5D/gi, ']');
  }
}

/** The first offset from `at` on that is not within an escaped character. */
function pieceEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  let end = at;
  // An escape has three characters. One that begins with 8 to b continues a character of UTF-8.
  if (text[end - 1] === '%') end--;
  else if (text[end - 2] === '%') end -= 2;
  while (text[end] === '%' && /[89ab]/i.test(text[end + 1] ?? '')) end += 3;
  // A pair of surrogates stays together.
  if (/[\udc00-\udfff]/.test(text[end] ?? '') && end > 0) end--;
  return end;
}
