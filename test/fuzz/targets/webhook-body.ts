/** Bodies of webhook calls: JSON, forms, text and XML. */
import { BodyUnreadable } from '#core/webhooks/calls/body/body-errors.ts';
import { readContentType } from '#core/webhooks/calls/body/content-type.ts';
import {
  type BodyTextContext,
  type BodyTextKind,
  decodeBodyText,
  parseBodyText,
} from '#core/webhooks/calls/body/parse-body-text.ts';
import { readXml } from '#core/webhooks/xml/read-xml.ts';
import { xmlToObject } from '#core/webhooks/xml/to-object.ts';
import { check, fuzzTarget } from '../target.ts';

const KINDS: BodyTextKind[] = ['json', 'form', 'text', 'xml'];
const CHARSETS = [undefined, 'utf-8', 'utf-16', 'UTF16LE', 'latin1'];

const { signal } = new AbortController();
/** Converts on this thread, so that the engine sees the branches. */
const xml: BodyTextContext['xml'] = {
  toObject: async (text, options) => xmlToObject(readXml(text), options),
};

export default fuzzTarget({
  invariant: 'the body can be printed as JSON, and no prototype changes',
  seeds: () => [
    '\0\0{"a":[1,{"b":null}]}',
    '\x01\0a=1&b%5Bc%5D=2&__proto__=3&d',
    '\x02\0plain',
    '\x03\0<?xml version="1.0"?><a b="c"><d>1</d><d/><![CDATA[x]]>&amp;</a>',
    '\x05\0multipart/form-data; boundary="a b"; charset=utf-8',
  ],
  refusals: [BodyUnreadable],
  async run(input) {
    const [kind = 0, charset = 0] = input;
    const text = await decodeBodyText(input.slice(2), CHARSETS[charset % CHARSETS.length], signal);
    readContentType(text);
    JSON.stringify(await parseBodyText(KINDS[kind % KINDS.length]!, text, { xml, signal }));
    check(Object.keys(Object.prototype).length === 0, 'no prototype changes');
  },
});
