/** Starts the workflow with the new mails of a mailbox. */
import type { MailboxClient, ParsedMail, ServerLogin, Subscription } from '#core/host';
import { encodeBase64 } from '#core/http';
import type { Item, JsonObject } from '#core/workflow-format';
import { firstMessage, type Listen, type StartByMessage } from '../../node-api/listen.ts';
import type { BinaryData, NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { textOf, withSubscription } from '../databases/with-client.ts';
import { choice, flag, number, options, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';

/** Milliseconds after which the mailbox is searched again, whether the server reported a change or not. */
const SEARCH_INTERVAL = 5 * 60_000;

const listen: Listen = async (context, start) => {
  const settings = await imapSettings(await context.credential('imap'), context);
  const reading = await readingOf(context);
  return withSubscription(context, 'imap', settings, (client) => follow({ context, client, reading, start }));
};

export const emailTrigger: NodeType = {
  name: 'n8n-nodes-base.emailReadImap',
  label: 'Email Trigger (IMAP)',
  description: 'Starts the workflow with the new mails of a mailbox.',
  group: 'trigger',
  versions: [1, 2, 2.1],
  inputs: 0,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'imap', required: true }],
  parameters: [
    text('mailbox', 'Mailbox Name', { default: 'INBOX' }),
    choice('postProcessAction', 'Action', 'read', { options: { read: 'Mark as Read', nothing: 'Nothing' } }),
    flag('downloadAttachments', 'Download Attachments', { show: { format: ['simple'] } }),
    choice('format', 'Format', 'simple', { options: { raw: 'RAW', resolved: 'Resolved', simple: 'Simple' } }),
    text('dataPropertyAttachmentsPrefixName', 'Property Prefix Name', {
      default: 'attachment_',
      show: { format: ['simple', 'resolved'] },
    }),
    options({
      fields: [
        flag('allowUnauthorizedCerts', 'Ignore SSL Issues (Insecure)'),
        text('customEmailConfig', 'Custom Email Rules', { default: '["UNSEEN"]' }),
        number('forceReconnect', 'Force Reconnect Every Minutes', 60),
        flag('trackLastMessageId', 'Fetch Only New Emails', { default: true }),
      ],
    }),
  ],
  execute: async (context) => [await firstMessage(context, listen)],
  listen,
};

interface Reading {
  mailbox: string;
  search: unknown[];
  format: string;
  marksRead: boolean;
  downloads: boolean;
  prefix: string;
  remembersLast: boolean;
  /** Milliseconds */
  interval: number;
}

async function readingOf(context: NodeContext): Promise<Reading> {
  const rules = await context.parameter<unknown>('options.customEmailConfig', 0, '["UNSEEN"]');
  const search = parseJsonParameter(rules, 'Custom email config is not valid JSON.');
  if (!Array.isArray(search)) throw new NodeError('The custom email rules must be a list');
  const minutes = Number(await context.parameter('options.forceReconnect', 0, 0));
  return {
    mailbox: String((await context.parameter('mailbox', 0)) || 'INBOX'),
    search,
    format: String(await context.parameter('format', 0)),
    marksRead: (await context.parameter('postProcessAction', 0)) === 'read',
    downloads: (await context.parameter('downloadAttachments', 0, false)) === true,
    prefix: String((await context.parameter('dataPropertyAttachmentsPrefixName', 0)) || 'attachment_'),
    remembersLast:
      (await context.parameter('options.trackLastMessageId', 0, context.version >= 2.1)) !== false,
    interval: minutes > 0 ? Math.min(minutes * 60_000, SEARCH_INTERVAL) : SEARCH_INTERVAL,
  };
}

interface Mailbox {
  context: NodeContext;
  client: MailboxClient;
  reading: Reading;
  start: StartByMessage;
}

/** Reads the new mails once, then at each change until the connection is closed. */
async function follow(mailbox: Mailbox): Promise<Subscription> {
  const { context, client, reading } = mailbox;
  await readNew(mailbox);
  let isClosed = false;
  const ended = (async () => {
    while (!isClosed && !context.signal.aborted) {
      await client.waitForChange(reading.interval);
      await readNew(mailbox);
    }
  })().catch((error: unknown) => {
    if (isClosed || context.signal.aborted) return;
    context.log.warn('webhooks: a mailbox could not be read', {
      node: context.node.name,
      error: String(error),
    });
  });
  const close = async () => {
    isClosed = true;
    await client.close();
  };
  return { ended, close };
}

/** Starts one execution for each new mail. A mail counts as read when its execution is on record. */
async function readNew({ context, client, reading, start }: Mailbox): Promise<void> {
  const key = `${context.workflow.id} ${context.node.id}`;
  const stored = reading.remembersLast ? await context.storage.get(key) : undefined;
  const last = stored?.mailbox === reading.mailbox ? Number(stored.uid) : undefined;
  for (const uid of await client.search(reading.mailbox, reading.search, last)) {
    const { source, flags, date } = await client.fetch(uid);
    const parsed = reading.format === 'raw' ? undefined : await client.parse(source);
    const { isAccepted } = await start((files) =>
      itemsOf({ uid, flags, date, source, parsed }, reading, files),
    );
    // The mail stays unread, and starts the workflow after the next connection.
    if (!isAccepted) throw new NodeError('The workflow could not start');
    if (reading.marksRead) await client.markSeen([uid]);
    if (reading.remembersLast) await context.storage.put(key, { mailbox: reading.mailbox, uid });
  }
}

interface ReadMail {
  uid: number;
  flags: string[];
  date: string | undefined;
  source: Uint8Array;
  parsed: ParsedMail | undefined;
}

async function itemsOf(mail: ReadMail, reading: Reading, files: BinaryData): Promise<Item[]> {
  const { uid, source, parsed, date } = mail;
  if (!parsed) return [{ json: { raw: encodeBase64(source) } }];
  const { headers, text, html, attachments, ...parts } = parsed;
  const keeps = reading.format === 'resolved' || reading.downloads;
  const binary: NonNullable<Item['binary']> = {};
  for (const [index, { content, fileName, contentType }] of (keeps ? attachments : []).entries()) {
    binary[`${reading.prefix}${index}`] = await files.prepare(content, { fileName, mimeType: contentType });
  }
  const attributes = { uid };
  const json: JsonObject =
    reading.format === 'resolved'
      ? {
          ...parts,
          headers,
          ...(text !== undefined && { text }),
          ...(html !== undefined && { html }),
          attributes,
        }
      : {
          ...(html !== undefined && { textHtml: html }),
          ...(text !== undefined && { textPlain: text }),
          metadata: metadataOf(headers),
          ...(parts.from !== undefined && { from: parts.from }),
          ...(parts.to !== undefined && { to: parts.to }),
          ...(parts.cc !== undefined && { cc: parts.cc }),
          subject: parts.subject ?? '',
          date: headerText(headers.date) ?? date,
          attributes,
        };
  return [{ json, ...(Object.keys(binary).length > 0 && { binary }) }];
}

const headerText = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** The headers that have no field of their own. */
function metadataOf(headers: ParsedMail['headers']): JsonObject {
  const own = new Set(['from', 'to', 'cc', 'subject', 'date']);
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !own.has(name))
      .map(([name, value]) => [name, headerText(value)]),
  );
}

async function imapSettings(credential: JsonObject, context: NodeContext): Promise<ServerLogin> {
  const trustsAny =
    credential.allowUnauthorizedCerts === true ||
    (await context.parameter('options.allowUnauthorizedCerts', 0, false)) === true;
  return {
    host: textOf(credential.host),
    port: Number(credential.port) || 993,
    user: textOf(credential.user),
    password: textOf(credential.password),
    ...(credential.secure !== false && { tls: { acceptsAnyCertificate: trustsAny } }),
  };
}
