/** Commands and files on other computers, by SSH. */
import type { ServerLogin, SshKey } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { textOf, withClient } from '../databases/with-client.ts';
import { choice, options, text } from '../shared/parameters.ts';

const isCommand = { resource: ['command'] };
const isUpload = { resource: ['file'], operation: ['upload'] };
const isDownload = { resource: ['file'], operation: ['download'] };

export const ssh: NodeType = {
  name: 'n8n-nodes-base.ssh',
  label: 'SSH',
  description: 'Runs commands on another computer, and transfers files.',
  group: 'network',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [
    { type: 'sshPassword', required: true, show: { authentication: ['password'] } },
    { type: 'sshPrivateKey', required: true, show: { authentication: ['privateKey'] } },
  ],
  parameters: [
    choice('authentication', 'Authentication', 'password', {
      literal: true,
      options: { password: 'Password', privateKey: 'Private Key' },
    }),
    choice('resource', 'Resource', 'command', {
      literal: true,
      options: { command: 'Command', file: 'File' },
    }),
    choice('operation', 'Operation', 'execute', {
      literal: true,
      show: isCommand,
      options: { execute: 'Execute' },
    }),
    choice('operation', 'Operation', 'upload', {
      literal: true,
      show: { resource: ['file'] },
      options: { download: 'Download', upload: 'Upload' },
    }),
    text('command', 'Command', { rows: 2, show: isCommand }),
    text('cwd', 'Working Directory', { default: '/', required: true, show: isCommand }),
    text('binaryPropertyName', 'Input Binary Field', { default: 'data', required: true, show: isUpload }),
    text('path', 'Target Directory', { required: true, show: isUpload }),
    text('path', 'Path', { required: true, show: isDownload }),
    text('binaryPropertyName', 'File Property', { default: 'data', required: true, show: isDownload }),
    options({ show: { resource: ['file'] }, fields: [text('fileName', 'File Name')] }),
  ],
  async execute(context) {
    const kind = context.literal('authentication') === 'privateKey' ? 'sshPrivateKey' : 'sshPassword';
    const login = loginOf(await context.credential(kind));
    if (context.literal('resource') === 'file') return transfer(context, login);
    return withClient(context, 'ssh', login, (client) =>
      perItem(context, async (_item, index) => {
        const command = await textAt(context, 'command', index);
        const folder = await textAt(context, 'cwd', index);
        const { stdout, stderr, ...ended } = await client.run(`cd ${quoted(folder)} && ${command}`);
        return { json: { ...ended, stdout: stdout.trim(), stderr: stderr.trim() } };
      }),
    );
  },
};

function transfer(context: NodeContext, login: ServerLogin & SshKey) {
  const isUpload = context.literal('operation') === 'upload';
  return withClient(context, 'sftp', login, (client) =>
    perItem(context, async (item, index): Promise<Item> => {
      const path = await textAt(context, 'path', index);
      const property = (await textAt(context, 'binaryPropertyName', index)) || 'data';
      const name = await textAt(context, 'options.fileName', index);
      if (!isUpload) {
        const bytes = await client.download(path);
        const fileName = name || path.slice(path.lastIndexOf('/') + 1);
        const file = await context.binary.prepare(bytes, { fileName });
        return { json: item.json, binary: { ...item.binary, [property]: file } };
      }
      const file = context.binary.require(item, property, index);
      // A name is no path: it must not lead out of the folder.
      const fileName = (name || file.fileName || 'file').replace(/^.*[/\\]/, '');
      await client.upload(`${path.replace(/\/+$/, '')}/${fileName}`, await context.binary.bytes(file));
      return { json: { success: true } };
    }),
  );
}

async function textAt(context: NodeContext, name: string, index: number): Promise<string> {
  return String((await context.parameter<unknown>(name, index, '')) ?? '');
}

/** One word of the shell. The folder of the user stays a `~`, which the shell there replaces. */
function quoted(folder: string): string {
  const [, home = '', rest = folder] = /^(~\/?)(.*)$/s.exec(folder) ?? [];
  if (rest === '') return home;
  return `${home}'${rest.replaceAll("'", "'\\''")}'`;
}

function loginOf({
  host,
  port,
  username,
  password,
  privateKey,
  passphrase,
}: JsonObject): ServerLogin & SshKey {
  return {
    host: textOf(host),
    port: Number(port) || 22,
    user: textOf(username),
    ...(password !== undefined && { password: textOf(password) }),
    ...(privateKey !== undefined && { privateKey: String(privateKey) }),
    ...(passphrase !== undefined && { passphrase: String(passphrase) }),
  };
}
