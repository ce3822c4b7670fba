/** Sends mails by SMTP. */
import type { Mail, SmtpSettings } from '#core/host';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { textOf, withClient } from '../databases/with-client.ts';
import { askParameters } from '../shared/ask/parameters.ts';
import { readQuestion, waitForAnswer } from '../shared/ask/question.ts';
import { questionHtml } from '../shared/ask/question-html.ts';
import { commaList } from '../shared/comma-list.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';

const NEW = { from: 2 };
const OLD = { to: 1 };

export const sendEmail: NodeType = {
  name: 'n8n-nodes-base.emailSend',
  label: 'Send Email',
  description: 'Sends mails by SMTP.',
  group: 'network',
  versions: [1, 2, 2.1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'smtp', required: true }],
  parameters: [
    choice('resource', 'Resource', 'email', { literal: true, versions: NEW, options: { email: 'Email' } }),
    choice('operation', 'Operation', 'send', {
      literal: true,
      versions: NEW,
      options: { send: 'Send', sendAndWait: 'Send and Wait for Response' },
    }),
    ...askParameters({ operation: ['sendAndWait'] }),
    text('fromEmail', 'From Email', { required: true, placeholder: 'Admin <admin@example.com>' }),
    text('toEmail', 'To Email', { required: true }),
    text('ccEmail', 'CC Email', { versions: OLD }),
    text('bccEmail', 'BCC Email', { versions: OLD }),
    text('subject', 'Subject'),
    choice('emailFormat', 'Email Format', 'html', {
      versions: NEW,
      options: { text: 'Text', html: 'HTML', both: 'Both' },
    }),
    text('text', 'Text', { rows: 5, versions: OLD }),
    text('html', 'HTML', { rows: 5, versions: OLD }),
    text('text', 'Text', { rows: 5, versions: NEW, show: { emailFormat: ['text', 'both'] } }),
    text('html', 'HTML', { rows: 5, versions: NEW, show: { emailFormat: ['html', 'both'] } }),
    text('attachments', 'Attachments', { versions: OLD }),
    options({
      fields: [
        flag('appendAttribution', 'Append n8n Attribution', { default: true }),
        text('attachments', 'Attachments'),
        text('ccEmail', 'CC Email'),
        text('bccEmail', 'BCC Email'),
        flag('allowUnauthorizedCerts', 'Ignore SSL Issues (Insecure)'),
        text('replyTo', 'Reply To'),
      ],
    }),
  ],
  async execute(context) {
    const trustsAny = (await context.parameter('options.allowUnauthorizedCerts', 0, false)) === true;
    const settings = smtpSettings(await context.credential('smtp'), trustsAny);
    if (context.literal('operation') === 'sendAndWait') return [await ask(context, settings)];
    return withClient(context, 'smtp', settings, (client) =>
      perItem(context, async (item, index) => ({
        json: await client.send(await mailOf(context, item, index)),
      })),
    );
  },
};

/** Sends the question once. At the end of the wait the answer replaces the items. */
async function ask(context: NodeContext, settings: SmtpSettings): Promise<Item[]> {
  const question = await readQuestion(context);
  const value = async (name: string) => String((await context.parameter<unknown>(name, 0, '')) ?? '');
  await withClient(context, 'smtp', settings, async (client) =>
    client.send({
      from: await value('fromEmail'),
      to: await value('toEmail'),
      subject: question.subject,
      html: questionHtml(question),
      attachments: [],
    }),
  );
  await waitForAnswer(context);
  return context.items();
}

async function mailOf(context: NodeContext, item: Item, index: number): Promise<Mail> {
  const isNew = context.version >= 2;
  const value = async (name: string) => String((await context.parameter<unknown>(name, index, '')) ?? '');
  const option = (name: string) => value(isNew ? `options.${name}` : name);
  const format = isNew ? await value('emailFormat') : 'both';
  const names = commaList(await option('attachments'));
  const attachments = await Promise.all(
    names.map(async (name) => {
      const file = context.binary.require(item, name, index);
      const content = await context.binary.bytes(file);
      return { filename: file.fileName || 'unknown', content, contentType: file.mimeType, cid: name };
    }),
  );
  const parts = {
    cc: await option('ccEmail'),
    bcc: await option('bccEmail'),
    replyTo: await value('options.replyTo'),
    subject: await value('subject'),
    ...(format !== 'html' && { text: await value('text') }),
    ...(format !== 'text' && { html: await value('html') }),
  };
  const parameters = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== ''));
  return { from: await value('fromEmail'), to: await value('toEmail'), ...parameters, attachments };
}

function smtpSettings(credential: JsonObject, trustsAny: boolean): SmtpSettings {
  const secure = credential.secure !== false;
  const tls = { acceptsAnyCertificate: trustsAny, startTls: !secure };
  return {
    host: textOf(credential.host),
    port: Number(credential.port) || 465,
    user: textOf(credential.user),
    password: textOf(credential.password),
    hostName: textOf(credential.hostName),
    ...((secure || credential.disableStartTls !== true) && { tls }),
  };
}
