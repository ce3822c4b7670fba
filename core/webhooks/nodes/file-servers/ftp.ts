/** Files of FTP and SFTP servers. */
import type { FileServerClient, ServerFile, ServerLogin, SshKey } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { textOf, withClient } from '../databases/with-client.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';

const of = (...operation: string[]) => ({ operation });

/** Files of one recursive list. */
const MOST_FILES = 10_000;

export const ftp: NodeType = {
  name: 'n8n-nodes-base.ftp',
  label: 'FTP',
  description: 'Transfers files by FTP or SFTP.',
  group: 'network',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [
    { type: 'ftp', required: true, show: { protocol: ['ftp'] } },
    { type: 'sftp', required: true, show: { protocol: ['sftp'] } },
  ],
  parameters: [
    choice('protocol', 'Protocol', 'ftp', { literal: true, options: { ftp: 'FTP', sftp: 'SFTP' } }),
    choice('operation', 'Operation', 'download', {
      literal: true,
      options: { delete: 'Delete', download: 'Download', list: 'List', rename: 'Rename', upload: 'Upload' },
    }),
    text('path', 'Path', { required: true, show: of('delete', 'download', 'upload') }),
    text('path', 'Path', { default: '/', required: true, show: of('list') }),
    text('oldPath', 'Old Path', { required: true, show: of('rename') }),
    text('newPath', 'New Path', { required: true, show: of('rename') }),
    text('binaryPropertyName', 'Put Output File in Field', { default: 'data', show: of('download') }),
    flag('binaryData', 'Binary File', { default: true, show: of('upload') }),
    text('binaryPropertyName', 'Input Binary Field', {
      default: 'data',
      show: { ...of('upload'), binaryData: [true] },
    }),
    text('fileContent', 'File Content', { show: { ...of('upload'), binaryData: [false] } }),
    flag('recursive', 'Recursive', { show: of('list') }),
    options({ show: of('delete'), fields: [flag('folder', 'Folder'), flag('recursive', 'Recursive')] }),
    options({ show: of('rename'), fields: [flag('createDirectories', 'Create Directories')] }),
  ],
  async execute(context) {
    const kind = context.literal('protocol') === 'sftp' ? 'sftp' : 'ftp';
    const settings = loginOf(await context.credential(kind), kind);
    const operation = context.literal<string>('operation');
    const run = operations[operation];
    if (!Object.hasOwn(operations, operation) || !run)
      throw new NodeError(`Unknown operation "${operation}"`);
    return withClient(context, kind, settings, (client) =>
      perItem(context, (item, index) => run({ context, client, item, index })),
    );
  },
};

interface Call {
  context: NodeContext;
  client: FileServerClient;
  item: Item;
  index: number;
}

const operations: Record<string, (call: Call) => Promise<Item | Item[]>> = {
  async delete({ context, client, index }) {
    const path = await pathAt(context, 'path', index);
    const isOn = async (name: string) => (await context.parameter(`options.${name}`, index, false)) === true;
    if (await isOn('folder')) await client.deleteFolder(path, await isOn('recursive'));
    else await client.deleteFile(path);
    return { json: { success: true } };
  },
  async download({ context, client, item, index }) {
    const path = await pathAt(context, 'path', index);
    const property = String((await context.parameter('binaryPropertyName', index)) || 'data');
    const bytes = await client.download(path);
    const file = await context.binary.prepare(bytes, { fileName: path.split('/').at(-1) || 'file' });
    return { json: item.json, binary: { ...item.binary, [property]: file } };
  },
  async list({ context, client, index }) {
    const path = await pathAt(context, 'path', index);
    const isRecursive = (await context.parameter('recursive', index)) === true;
    return (await listAll(client, path, isRecursive)).map((json) => ({ json }));
  },
  async rename({ context, client, index }) {
    const [from, to] = [await pathAt(context, 'oldPath', index), await pathAt(context, 'newPath', index)];
    if ((await context.parameter('options.createDirectories', index, false)) === true) {
      const folder = to.slice(0, to.lastIndexOf('/'));
      if (folder !== '') await client.createFolder(folder);
    }
    await client.rename(from, to);
    return { json: { success: true } };
  },
  async upload({ context, client, item, index }) {
    const path = await pathAt(context, 'path', index);
    await client.upload(path, await contentOf(context, item, index));
    return { json: item.json, ...(item.binary && { binary: item.binary }) };
  },
};

async function contentOf(context: NodeContext, item: Item, index: number): Promise<Uint8Array> {
  if ((await context.parameter('binaryData', index)) === false) {
    return new TextEncoder().encode(String((await context.parameter('fileContent', index)) ?? ''));
  }
  const property = String((await context.parameter('binaryPropertyName', index)) || 'data');
  return context.binary.bytes(context.binary.require(item, property, index));
}

/** A line break in a path would begin another command of FTP. */
async function pathAt(context: NodeContext, name: string, index: number): Promise<string> {
  const path = String((await context.parameter(name, index)) ?? '');
  if (/[\r\n\0]/.test(path)) throw new NodeError('A path cannot contain line breaks', { itemIndex: index });
  return path;
}

async function listAll(client: FileServerClient, path: string, isRecursive: boolean): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  const folders = [path];
  for (const folder of folders) {
    for (const file of await client.list(folder)) {
      if (file.name === '.' || file.name === '..') continue;
      const full = `${folder.replace(/\/+$/, '')}/${file.name}`;
      if (isRecursive && file.type === 'd') folders.push(full);
      else found.push(fileJson(file, full));
      if (found.length > MOST_FILES) throw new NodeError(`The folder has more than ${MOST_FILES} files`);
    }
  }
  return found;
}

function fileJson({ type, name, size, ...more }: ServerFile, path: string): JsonObject {
  return { type, name, size, ...more, path };
}

function loginOf(credential: JsonObject, kind: 'ftp' | 'sftp'): ServerLogin & SshKey {
  return {
    host: textOf(credential.host),
    port: Number(credential.port) || (kind === 'sftp' ? 22 : 21),
    user: textOf(credential.username),
    password: textOf(credential.password),
    ...(credential.privateKey !== undefined && { privateKey: String(credential.privateKey) }),
    ...(credential.passphrase !== undefined && { passphrase: String(credential.passphrase) }),
  };
}
