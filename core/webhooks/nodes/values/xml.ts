/** XML to JSON and back. */
import type { NodeContext } from '../../workflow/node-context.ts';
import { NodeError } from '../../workflow/node-error.ts';
import type { NodeType, Parameter } from '../../workflow/node-type.ts';
import { getPath } from '../../workflow/paths.ts';
import { perItem } from '../../workflow/per-item.ts';
import type { Item, JsonObject } from '../../workflow/types.ts';
import { readXml, XmlError } from '../../xml/read-xml.ts';
import { xmlToObject } from '../../xml/to-object.ts';
import { writeXml, XmlWriteError } from '../../xml/write-xml.ts';

const TO_XML = { '/mode': ['jsonToxml'] };
const TO_JSON = { '/mode': ['xmlToJson'] };

const flag = (
  name: string,
  label: string,
  value: boolean,
  show: typeof TO_JSON | typeof TO_XML,
): Parameter => ({
  name,
  label,
  type: 'boolean',
  default: value,
  show,
});

export const xml: NodeType = {
  name: 'n8n-nodes-base.xml',
  label: 'XML',
  description: 'Turns XML into JSON, or JSON into XML.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    {
      name: 'mode',
      label: 'Mode',
      type: 'options',
      default: 'xmlToJson',
      options: [
        { value: 'jsonToxml', label: 'JSON to XML' },
        { value: 'xmlToJson', label: 'XML to JSON' },
      ],
    },
    {
      name: 'dataPropertyName',
      label: 'Property Name',
      type: 'string',
      default: 'data',
      required: true,
      description: 'The field that holds the XML, or gets it.',
    },
    {
      name: 'options',
      label: 'Options',
      type: 'collection',
      default: {},
      fields: [
        { name: 'attrkey', label: 'Attribute Key', type: 'string', default: '$' },
        { name: 'charkey', label: 'Character Key', type: 'string', default: '_' },
        flag('cdata', 'Cdata', false, TO_XML),
        flag('headless', 'Headless', false, TO_XML),
        { name: 'rootName', label: 'Root Name', type: 'string', default: 'root', show: TO_XML },
        flag('explicitArray', 'Explicit Array', false, TO_JSON),
        flag('explicitRoot', 'Explicit Root', true, TO_JSON),
        flag('ignoreAttrs', 'Ignore Attributes', false, TO_JSON),
        flag('mergeAttrs', 'Merge Attributes', true, TO_JSON),
        flag('normalize', 'Normalize', false, TO_JSON),
        flag('normalizeTags', 'Normalize Tags', false, TO_JSON),
        flag('trim', 'Trim', false, TO_JSON),
      ],
    },
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
