/** The nodes of file servers and mails against real servers: pyftpdlib, OpenSSH, moto, aiosmtpd and Dovecot. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { type ClientEngine, clientNode, openClientServer } from '#test/support/servers/client-engine.ts';
import { startFtp, startImap, startS3, startSmtp, startSsh } from '#test/support/servers/file-and-mail.ts';
import type { StartedServer } from '#test/support/servers/server-process.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const servers: StartedServer[] = [];
let webhooks: ClientEngine;
let remoteFolder = '';

beforeAll(async () => {
  const [ftp, ssh, s3, imap] = await Promise.all([startFtp(), startSsh(), startS3(), startImap()]);
  const smtp = await startSmtp(imap.mails);
  servers.push(ftp, ssh, s3, smtp, imap);
  remoteFolder = ssh.folder;
  const host = '127.0.0.1';
  webhooks = await openClientServer({
    ftp: { host, port: ftp.port, username: 'tabd', password: 'secret' },
    sftp: { host, port: ssh.port, username: ssh.user, privateKey: ssh.privateKey },
    sshPrivateKey: { host, port: ssh.port, username: ssh.user, privateKey: ssh.privateKey },
    sshPassword: { host, port: ssh.port, username: ssh.user, password: 'wrong' },
    s3: {
      endpoint: `http://${host}:${s3.port}`,
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      forcePathStyle: true,
    },
    smtp: { host, port: smtp.port, secure: false, disableStartTls: true },
    imap: { host, port: imap.port, user: 'tabd', password: 'secret', secure: false },
  });
}, 180_000);

afterAll(async () => {
  await webhooks?.close();
  await Promise.all(servers.map((server) => server.stop()));
});

it.each(['ftp', 'sftp'])('%s: uploads, lists, renames, downloads and deletes', async (protocol) => {
  const base = protocol === 'ftp' ? '/' : `${remoteFolder}/`;
  const run = (operation: string, parameters: JsonObject) =>
    runFirstOutput(webhooks.engine, clientNode('ftp', protocol, { protocol, operation, ...parameters }), [
      { a: 1 },
    ]);
  const text = { binaryData: false, fileContent: 'hällo' };
  expect(await run('upload', { path: `${base}new/deep/a.txt`, ...text })).toEqual([{ a: 1 }]);
  expect(await run('list', { path: `${base}new`, recursive: true })).toMatchObject([
    { type: '-', name: 'a.txt', size: 6, path: `${base}new/deep/a.txt` },
  ]);
  const rename = { oldPath: `${base}new/deep/a.txt`, newPath: `${base}other/b.txt` };
  expect(await run('rename', rename)).toMatchObject({ error: expect.any(String) });
  expect(await run('rename', { ...rename, options: { createDirectories: true } })).toEqual([
    { success: true },
  ]);
  const download = clientNode('ftp', protocol, {
    protocol,
    operation: 'download',
    path: `${base}other/b.txt`,
  });
  const { items } = await runWebhookNode(webhooks.engine, download);
  expect(items[0]?.[0]?.binary?.data).toMatchObject({
    fileName: 'b.txt',
    mimeType: 'text/plain',
    fileSize: '6 B',
  });
  expect(await run('download', { path: `${base}none` })).toMatchObject({ error: expect.any(String) });
  expect(await run('delete', { path: `${base}other/b.txt` })).toEqual([{ success: true }]);
  const folder = { options: { folder: true, recursive: true } };
  expect(await run('delete', { path: `${base}new`, ...folder })).toEqual([{ success: true }]);
  expect(await run('list', { path: `${base}new\r\nDELE x` })).toEqual({
    error: 'A path cannot contain line breaks',
  });
});

it('SSH: runs commands, and transfers files', async () => {
  const node = (parameters: JsonObject, kind = 'privateKey') =>
    clientNode('ssh', kind === 'privateKey' ? 'sshPrivateKey' : 'sshPassword', {
      authentication: kind,
      ...parameters,
    });
  const run = (parameters: JsonObject, kind?: string) =>
    runFirstOutput(webhooks.engine, node(parameters, kind), [{ n: 7 }]);
  const folder = `${remoteFolder}/it's here`;
  expect(await run({ cwd: '~', command: `mkdir -p "${folder}" && echo made {{ $json.n }}` })).toMatchObject([
    { code: 0, signal: null, stderr: '' },
  ]);
  expect(await run({ cwd: folder, command: '=pwd; echo {{ $json.n }} >&2; exit 3' })).toEqual([
    { code: 3, signal: null, stdout: folder, stderr: '7' },
  ]);
  expect(await run({ cwd: '/none', command: 'echo x' })).toMatchObject([{ code: 1, stdout: '' }]);
  expect(await run({ cwd: '/', command: 'kill -9 $$' })).toMatchObject([{ code: null, signal: 'SIGKILL' }]);
  await run({ cwd: folder, command: 'printf hello > a.txt' });
  const download = node({ resource: 'file', operation: 'download', path: `${folder}/a.txt` });
  const { items } = await runWebhookNode(webhooks.engine, download);
  expect(items[0]?.[0]?.binary?.data).toMatchObject({ fileName: 'a.txt', fileSize: '5 B' });
  expect(await run({ cwd: '/', command: 'true' }, 'password')).toMatchObject({ error: expect.any(String) });
});

it('S3: buckets and files', async () => {
  const run = (resource: string, operation: string, parameters: JsonObject) =>
    runFirstOutput(webhooks.engine, clientNode('s3', 's3', { resource, operation, ...parameters }));
  expect(await run('bucket', 'create', { name: 'one' })).toEqual([{ success: true }]);
  expect(await run('bucket', 'getAll', {})).toMatchObject([{ Name: 'one' }]);
  const bucket = { bucketName: 'one' };
  const upload = { ...bucket, binaryData: false, fileName: 'a b+c.txt', fileContent: 'hi' };
  const inFolder = {
    additionalFields: { parentFolderKey: 'x/y' },
    tagsUi: { tagsValues: [{ key: 'k', value: 'v v' }] },
  };
  expect(await run('file', 'upload', { ...upload, ...inFolder })).toEqual([{ success: true }]);
  expect(await run('file', 'getAll', { ...bucket, returnAll: true })).toMatchObject([
    { Key: 'x/y/a b+c.txt', Size: '2' },
  ]);
  const copy = { sourcePath: '/one/x/y/a b+c.txt', destinationPath: '/one/copy.txt' };
  expect(await run('file', 'copy', copy)).toMatchObject([{ ETag: expect.any(String) }]);
  const download = { ...bucket, resource: 'file', operation: 'download', fileKey: 'copy.txt' };
  const { items } = await runWebhookNode(webhooks.engine, clientNode('s3', 's3', download));
  expect(items[0]?.[0]?.binary?.data).toMatchObject({ fileName: 'copy.txt', fileSize: '2 B' });
  expect(await run('folder', 'create', { ...bucket, folderName: 'empty' })).toEqual([{ success: true }]);
  expect(await run('folder', 'getAll', bucket)).toMatchObject([{ Key: 'empty/' }]);
  expect(await run('folder', 'delete', { ...bucket, folderKey: 'x' })).toEqual([
    { deleted: [{ Key: 'x/y/a b+c.txt' }] },
  ]);
  expect(await run('bucket', 'search', { ...bucket, additionalFields: { prefix: 'co' } })).toMatchObject([
    { Key: 'copy.txt' },
  ]);
  expect(await run('file', 'delete', { ...bucket, fileKey: 'copy.txt' })).toEqual([{ success: true }]);
  expect(await run('file', 'download', { ...bucket, fileKey: 'none' })).toEqual({
    error: 'The specified key does not exist.',
  });
});

it('mails: what one workflow sends starts another one, with its files, once', async () => {
  const trigger = clientNode('emailReadImap', 'imap', { downloadAttachments: true }, 2);
  await webhooks.publish(
    workflowOf({ Trigger: trigger, End: { type: 'noOp' } }, ['Trigger -> End'], { id: 'mail' }),
  );
  const parameters = {
    fromEmail: 'Ann <ann@example.com>',
    toEmail: 'bob@example.com, cy@example.com',
    subject: 'Größe',
    emailFormat: 'both',
    text: 'plain',
    html: '<b>bold</b>',
    options: { ccEmail: 'di@example.com', attachments: 'data', replyTo: 'eve@example.com' },
  };
  const note = new TextEncoder().encode('note');
  const files = webhooks.engine.services.binary('note');
  const binary = { data: await files.prepare(note, { fileName: 'note.txt' }) };
  const sent = await runFirstOutput(webhooks.engine, clientNode('emailSend', 'smtp', parameters, 2.1), [
    { json: {}, binary },
  ]);
  expect(sent).toMatchObject([
    {
      accepted: ['bob@example.com', 'cy@example.com', 'di@example.com'],
      rejected: [],
      envelope: { from: 'ann@example.com' },
      messageId: expect.any(String),
    },
  ]);
  const executions = async () => webhooks.engine.executions.list({ workflowId: 'mail' });
  await expect.poll(async () => (await executions()).length, { timeout: 60_000 }).toBe(1);
  const detail = await webhooks.engine.executions.get((await executions())[0]!.id);
  const [item] = detail!.detail!.data.resultData.runData.End![0]!.data!.main![0]!;
  expect(item!.json).toMatchObject({
    from: '"Ann" <ann@example.com>',
    to: 'bob@example.com, cy@example.com',
    cc: 'di@example.com',
    subject: 'Größe',
    textPlain: 'plain',
    textHtml: '<b>bold</b>',
    metadata: { 'reply-to': 'eve@example.com' },
    attributes: { uid: 1 },
  });
  expect(item!.binary).toMatchObject({
    attachment_0: { fileName: 'note.txt', mimeType: 'text/plain', fileSize: '4 B' },
  });
  const imapFolder = servers.at(-1)!.folder;
  await expect
    .poll(() => readdirSync(`${imapFolder}/mails/cur`).some((name) => name.endsWith('S')), {
      timeout: 30_000,
    })
    .toBe(true);
});
