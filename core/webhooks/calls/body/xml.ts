/** XML bodies: names of elements in lower case, attributes under `$`, a lone child not in a list. */
import { readXml, XmlError } from '../../xml/read-xml.ts';
import { xmlToObject } from '../../xml/to-object.ts';
import { BodyUnreadable } from './errors.ts';

/** Throws `BodyUnreadable`. */
export function parseXml(text: string): unknown {
  try {
    return xmlToObject(readXml(text), { normalize: true, lowerNames: true, arrays: false });
  } catch (error) {
    if (error instanceof XmlError) throw new BodyUnreadable(error.message);
    throw error;
  }
}
