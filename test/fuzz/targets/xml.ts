/** XML documents and feeds of RSS and Atom. */
import { FeedError, readFeed } from '#core/webhooks/nodes/documents/feeds/read-feed.ts';
import { readXml, XmlError } from '#core/webhooks/xml/read-xml.ts';
import { xmlToObject } from '#core/webhooks/xml/to-object.ts';
import { check, fuzzTarget, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'the tree is bounded by the text, and no prototype changes',
  seeds: () => [
    '<a x="1"><b>t</b><b/><!-- c --><![CDATA[d]]>&lt;&#65;&#x42;</a>',
    '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
    '<rss><channel><item><title>t</title><link>l</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate><enclosure url="u"/></item></channel></rss>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>t</title><link href="l"/><content type="html">&lt;p&gt;</content></entry></feed>',
  ],
  words: ['__proto__', 'constructor', '&#x110000;', '<!ENTITY'],
  refusals: [XmlError, FeedError],
  measured: ['fast-xml-parser'],
  run(input) {
    const text = textOf(input);
    const json = JSON.stringify(xmlToObject(readXml(text)));
    check(json.length < 1000 + 100 * input.length, 'the tree is bounded', `${json.length} characters`);
    check(Object.keys(Object.prototype).length === 0, 'no prototype changes');
    readFeed(text, ['custom']);
  },
});
