/** The conversion of XML to JSON as a job for a sandbox thread. Its messages are plain data. */
import { readXml, XmlError } from './read-xml.ts';
import { type XmlToObjectOptions, xmlToObject } from './to-object.ts';

/** A message to a sandbox thread. */
export interface XmlRequest {
  type: 'xml';
  text: string;
  options: Partial<XmlToObjectOptions>;
}

/** The answer of a sandbox thread: JSON, or the message of an `XmlError`. */
export type XmlReply = { type: 'xml-done'; json: string } | { type: 'xml-failed'; message: string };

/** Does a job on the calling thread. */
export function answerXmlRequest({ text, options }: XmlRequest): XmlReply {
  try {
    return { type: 'xml-done', json: JSON.stringify(xmlToObject(readXml(text), options)) };
  } catch (error) {
    if (error instanceof XmlError) return { type: 'xml-failed', message: error.message };
    throw error;
  }
}
