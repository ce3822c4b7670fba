/** Packs files into archives (ZIP, gzip), and unpacks them. */
import { gzipSync, type Zippable, zipSync } from 'fflate';
import type { Binary, Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { commaList } from '../shared/comma-list.ts';
import { choice, text } from '../shared/parameters.ts';
import { gunzip, isGzip, isZip, unzip } from './archives.ts';

const compress = { operation: ['compress'] };

export const compression: NodeType = {
  name: 'n8n-nodes-base.compression',
  label: 'Compression',
  description: 'Packs and unpacks ZIP and gzip files.',
  group: 'data',
  versions: [1, 1.1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'decompress', {
      literal: true,
      options: { compress: 'Compress', decompress: 'Decompress' },
    }),
    text('binaryPropertyName', 'Input Binary Field(s)', {
      default: 'data',
      required: true,
      description: 'Names of files in the item, separated by commas.',
    }),
    choice('outputFormat', 'Output Format', '', {
      versions: { to: 1 },
      show: compress,
      options: { gzip: 'Gzip', zip: 'Zip' },
    }),
    choice('outputFormat', 'Output Format', 'zip', {
      versions: { from: 1.1 },
      show: compress,
      options: { gzip: 'Gzip', zip: 'Zip' },
    }),
    text('fileName', 'File Name', { show: { ...compress, outputFormat: ['zip'] } }),
    text('fileName', 'File Name', {
      versions: { from: 1.1 },
      show: { ...compress, outputFormat: ['gzip'] },
    }),
    text('binaryPropertyOutput', 'Put Output File in Field', {
      default: 'data',
      show: { ...compress, outputFormat: ['zip'] },
    }),
    text('binaryPropertyOutput', 'Put Output File in Field', {
      default: 'data',
      versions: { from: 1.1 },
      show: { ...compress, outputFormat: ['gzip'] },
    }),
    text('outputPrefix', 'Output Prefix', {
      default: 'data',
      versions: { to: 1 },
      show: { ...compress, outputFormat: ['gzip'] },
    }),
    text('outputPrefix', 'Output Prefix', { default: 'file_', show: { operation: ['decompress'] } }),
  ],
  execute: (context) =>
    perItem(context, async (item, index): Promise<Item> => {
      const names = commaList(await context.parameter('binaryPropertyName', index));
      const isCompress = context.literal('operation') === 'compress';
      const binary = isCompress
        ? await pack(context, item, index, names)
        : await unpack(context, item, index, names);
      return { json: item.json, binary };
    }),
};

type Files = Record<string, Binary>;

async function pack(context: NodeContext, item: Item, index: number, names: string[]): Promise<Files> {
  const format = await context.parameter('outputFormat', index);
  const files = await Promise.all(
    names.map(async (name) => {
      const file = context.binary.require(item, name, index);
      return { file, bytes: await context.binary.bytes(file) };
    }),
  );
  const fileName = String((await context.parameter('fileName', index, '')) ?? '');
  const output = String((await context.parameter('binaryPropertyOutput', index, 'data')) || 'data');
  if (format === 'zip') {
    const entries: Zippable = {};
    for (const { file, bytes } of files) entries[file.fileName ?? 'file'] = bytes;
    const mimeType = 'application/zip';
    return { [output]: await prepare(context, zipSync(entries), fileName || 'data.zip', mimeType) };
  }
  if (format !== 'gzip') throw new NodeError(`The output format "${String(format)}" does not exist`);
  const prefix = String(await context.parameter('outputPrefix', index));
  const packed: Files = {};
  for (const [position, { file, bytes }] of files.entries()) {
    const isOld = context.version < 1.1;
    const name = isOld ? `${stemOf(file.fileName)}.gzip` : gzipName(fileName, file);
    const key = isOld ? `${prefix}${position}` : output;
    const stored = await prepare(context, gzipSync(bytes), name, 'application/gzip');
    packed[key] = { ...stored, ...(isOld && { fileExtension: 'gzip' }) };
    if (!isOld) break;
  }
  return packed;
}

/** `a.gz` for a text file is `a.txt.gz`. */
function gzipName(chosen: string, { fileName = 'data', fileExtension }: Binary): string {
  const name = chosen === '' ? fileName : chosen;
  const stem = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : name;
  return fileExtension ? `${stem}.${fileExtension}.gz` : `${stem}.gz`;
}

const stemOf = (name = 'data') => name.split('.')[0] || 'data';

async function unpack(context: NodeContext, item: Item, index: number, names: string[]): Promise<Files> {
  const prefix = String(await context.parameter('outputPrefix', index));
  const files: Files = {};
  const add = async (bytes: Uint8Array, name: string) => {
    files[`${prefix}${Object.keys(files).length}`] = await prepare(context, bytes, name);
  };
  for (const name of names) {
    const file = context.binary.require(item, name, index);
    const bytes = await context.binary.bytes(file);
    if (isZip(bytes)) {
      for (const [path, content] of Object.entries(unzip(bytes, index))) {
        if (!path.endsWith('/') && !path.includes('__MACOSX')) await add(content, path.split('/').at(-1)!);
      }
    } else if (isGzip(bytes)) {
      const inner = (file.fileName ?? 'data').replace(/\.(gz|gzip)$/, '');
      const extension = inner.includes('.') ? `.${inner.split('.').at(-1)}` : '';
      await add(gunzip(bytes, index), `${stemOf(inner)}${extension}`);
    } else throw new NodeError(`The file '${name}' is neither a ZIP nor a gzip file`, { itemIndex: index });
  }
  return files;
}

function prepare(
  context: NodeContext,
  bytes: Uint8Array,
  fileName: string,
  mimeType?: string,
): Promise<Binary> {
  return context.binary.prepare(bytes, { fileName, ...(mimeType && { mimeType }) });
}
