/** Converts XML to JSON, and JSON to XML. */

import { getPath, type Item, type JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { readXml, XmlError } from '../../xml/read-xml.ts';
import { xmlToObject } from '../../xml/to-object.ts';
import { writeXml, XmlWriteError } from '../../xml/write-xml.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';

const TO_XML = { '/mode': ['jsonToxml'] };
const TO_JSON = { '/mode': ['xmlToJson'] };

export const xml: NodeType = {
  name: 'n8n-nodes-base.xml',
  label: 'XML',
  description: 'Turns XML into JSON, or JSON into XML.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('mode', 'Mode', 'xmlToJson', { options: { jsonToxml: 'JSON to XML', xmlToJson: 'XML to JSON' } }),
    text('dataPropertyName', 'Property Name', {
      default: 'data',
      required: true,
      description: 'The field with the XML, or for it.',
    }),
    options({
      fields: [
        text('attrkey', 'Attribute Key', { default: '$' }),
        text('charkey', 'Character Key', { default: '_' }),
        flag('cdata', 'Cdata', { show: TO_XML }),
        flag('headless', 'Headless', { show: TO_XML }),
        text('rootName', 'Root Name', { default: 'root', show: TO_XML }),
        flag('explicitArray', 'Explicit Array', { show: TO_JSON }),
        flag('explicitRoot', 'Explicit Root', { default: true, show: TO_JSON }),
        flag('ignoreAttrs', 'Ignore Attributes', { show: TO_JSON }),
        flag('mergeAttrs', 'Merge Attributes', { default: true, show: TO_JSON }),
        flag('normalize', 'Normalize', { show: TO_JSON }),
        flag('normalizeTags', 'Normalize Tags', { show: TO_JSON }),
        flag('trim', 'Trim', { show: TO_JSON }),
      ],
    }),
  ],
  execute: (context) => perItem(context, (item, index) => convert(context, item, index)),
};

async function convert(context: NodeContext, item: Item, index: number): Promise<Item> {
  const mode = await context.parameter('mode', index);
  const field = String(await context.parameter('dataPropertyName', index));
  const options = await context.parameter<JsonObject>('options', index, {});
  const keys = { attributeKey: String(options.attrkey ?? '$'), textKey: String(options.charkey ?? '_') };
  try {
    if (mode === 'jsonToxml') {
      // The default name means that no name was chosen. Then the only key of an object becomes the root element.
      const rootName =
        options.rootName === undefined || options.rootName === 'root' ? undefined : String(options.rootName);
      const text = writeXml(item.json, {
        ...keys,
        rootName,
        headless: options.headless === true,
        cdata: options.cdata === true,
      });
      return { json: { [field]: text } };
    }
    if (mode !== 'xmlToJson') throw new NodeError(`The mode "${String(mode)}" is not known`);
    const text = getPath(item.json, field);
    if (text === undefined)
      throw new NodeError(`Item has no JSON property called "${field}"`, { itemIndex: index });
    const value = xmlToObject(readXml(String(text)), {
      ...keys,
      arrays: options.explicitArray === true,
      root: options.explicitRoot !== false,
      attributes: options.ignoreAttrs !== true,
      mergeAttributes: options.mergeAttrs !== false,
      normalize: options.normalize === true,
      lowerNames: options.normalizeTags === true,
      trim: options.trim === true,
    });
    return { json: typeof value === 'object' ? (value as JsonObject) : { [keys.textKey]: value } };
  } catch (error) {
    if (!(error instanceof XmlError || error instanceof XmlWriteError)) throw error;
    throw new NodeError(error.message, { itemIndex: index, cause: error });
  }
}
