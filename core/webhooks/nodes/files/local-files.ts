/** Reads and writes files in the folder of workflows: today's node, and the three that it replaced. */
import { concatBytes } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';
import { findFiles, pathInFolder } from './local-files/folder.ts';

const read = { operation: ['read'] };
const write = { operation: ['write'] };
const shared = { group: 'data', inputs: 1 } as const;
const OUTPUTS = { versions: [1], outputs: ['main'] };

export const readWriteFile: NodeType = {
  ...shared,
  name: 'n8n-nodes-base.readWriteFile',
  label: 'Read/Write Files from Disk',
  description: "Reads and writes files in this server's folder of workflows.",
  versions: [1, 1.1],
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'read', {
      literal: true,
      options: { read: 'Read File(s) From Disk', write: 'Write File to Disk' },
    }),
    text('fileSelector', 'File(s) Selector', { required: true, placeholder: 'reports/*.csv', show: read }),
    text('fileName', 'File Path and Name', { required: true, show: write }),
    text('dataPropertyName', 'Input Binary Field', { default: 'data', required: true, show: write }),
    options({
      show: read,
      fields: [
        text('fileExtension', 'File Extension'),
        text('fileName', 'File Name'),
        text('mimeType', 'MIME Type'),
        text('dataPropertyName', 'Put Output File in Field', { default: 'data' }),
      ],
    }),
    options({ show: write, fields: [flag('append', 'Append')] }),
  ],
  execute(context) {
    if (context.literal('operation') === 'write') return writeFiles(context);
    return perItem(context, async (_item, index) => {
      const chosen = (await context.parameter<JsonObject>('options', index, {})) ?? {};
      const property = String(chosen.dataPropertyName || 'data');
      const files = await readFiles(context, 'fileSelector', index, chosen);
      return files.map(({ binary, folder }): Item => {
        const { mimeType, fileType, fileName, fileExtension, fileSize } = binary;
        const json = { mimeType, fileType, fileName, fileExtension, fileSize, directory: folder };
        return { json: JSON.parse(JSON.stringify(json)) as JsonObject, binary: { [property]: binary } };
      });
    });
  },
};

export const readBinaryFile: NodeType = {
  ...shared,
  ...OUTPUTS,
  name: 'n8n-nodes-base.readBinaryFile',
  label: 'Read Binary File',
  description: "Reads a file of this server's folder of workflows.",
  parameters: [
    text('filePath', 'File Path', { required: true }),
    text('dataPropertyName', 'Property Name', { default: 'data', required: true }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const [file] = await readFiles(context, 'filePath', index);
      if (!file) {
        const path = String(await context.parameter('filePath', index));
        throw new NodeError(`The file "${path}" could not be accessed.`, { itemIndex: index });
      }
      const property = String(await context.parameter('dataPropertyName', index));
      return { json: item.json, binary: { ...item.binary, [property]: file.binary } };
    }),
};

export const readBinaryFiles: NodeType = {
  ...shared,
  ...OUTPUTS,
  name: 'n8n-nodes-base.readBinaryFiles',
  label: 'Read Binary Files',
  description: "Reads files of this server's folder of workflows.",
  parameters: [
    text('fileSelector', 'File Selector', { required: true, placeholder: '*.jpg' }),
    text('dataPropertyName', 'Property Name', { default: 'data', required: true }),
  ],
  async execute(context) {
    const property = String(await context.parameter('dataPropertyName', 0));
    const files = await readFiles(context, 'fileSelector', 0);
    return [
      files.map(({ binary }) => ({ json: {}, binary: { [property]: binary }, pairedItem: { item: 0 } })),
    ];
  },
};

export const writeBinaryFile: NodeType = {
  ...shared,
  ...OUTPUTS,
  name: 'n8n-nodes-base.writeBinaryFile',
  label: 'Write Binary File',
  description: "Writes a file to this server's folder of workflows.",
  parameters: [
    text('fileName', 'File Name', { required: true }),
    text('dataPropertyName', 'Property Name', { default: 'data', required: true }),
    options({ fields: [flag('append', 'Append')] }),
  ],
  execute: (context) => writeFiles(context),
};

async function readFiles(context: NodeContext, parameter: string, index: number, chosen: JsonObject = {}) {
  const selector = String((await context.parameter(parameter, index)) ?? '');
  const files = await findFiles(context, selector, index);
  return Promise.all(
    files.map(async ({ path }) => {
      const parts = path.split('/');
      const name = String(chosen.fileName || parts.at(-1));
      const extension = String(chosen.fileExtension ?? '');
      const fileName = extension === '' || name.endsWith(`.${extension}`) ? name : `${name}.${extension}`;
      const mimeType = String(chosen.mimeType ?? '');
      const binary = await context.binary.prepare(await context.localFiles.read(path), {
        fileName,
        ...(mimeType !== '' && { mimeType }),
      });
      return { binary, folder: parts.slice(1, -1).join('/') };
    }),
  );
}

function writeFiles(context: NodeContext) {
  return perItem(context, async (item, index) => {
    const property = String(await context.parameter('dataPropertyName', index));
    const fileName = String(await context.parameter('fileName', index));
    const path = pathInFolder(context, fileName, index);
    const bytes = await context.binary.bytes(context.binary.require(item, property, index));
    const { localFiles } = context;
    const isAppended = (await context.parameter('options.append', index, false)) === true;
    const former = isAppended && (await localFiles.stat(path)) ? await localFiles.read(path) : undefined;
    await localFiles.write(path, former ? concatBytes([former, bytes]) : bytes);
    return { json: { ...item.json, fileName }, ...(item.binary && { binary: item.binary }) };
  });
}
