import type { SearchObject } from 'imapflow';
import type { ConnectionLimits, MailboxClient, ParsedMail, ServerLogin } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { searchObject } from './imap-search.ts';
import { allowedAddress, tlsOptions, tooLarge } from './reach.ts';

export async function connectImap(settings: ServerLogin, limits: ConnectionLimits): Promise<MailboxClient> {
  const { ImapFlow } = await loadPackage('imapflow', () => import('imapflow'));
  const { host, port, tls, user, password } = settings;
  const client = new ImapFlow({
    host: await allowedAddress(settings, limits),
    port,
    secure: tls !== undefined,
    ...(tls && { servername: host, tls: tlsOptions(host, tls) }),
    ...(!tls && { doSTARTTLS: false }),
    auth: { user: user ?? '', pass: password ?? '' },
    connectionTimeout: limits.connectTimeout,
    logger: false,
  });
  // Pending work rejects with the error as well.
  client.on('error', () => {});
  await withinConnectTime(limits, client.connect(), () => client.close()).catch(explain);
  const connection = new Connection(limits.signal, (isAborted) =>
    isAborted || !client.usable ? client.close() : client.logout(),
  );
  const open = async (mailbox: string) => {
    const current = client.mailbox === false ? undefined : client.mailbox.path;
    if (current !== mailbox) await client.mailboxOpen(mailbox);
  };
  return {
    close: () => connection.close(),
    search: (mailbox, criteria, afterUid) =>
      connection.run(async () => {
        await open(mailbox);
        const query: SearchObject = searchObject(criteria);
        if (afterUid !== undefined) query.uid = `${afterUid + 1}:*`;
        const found = (await client.search(query, { uid: true })) || [];
        // A range without a match contains the last mail.
        return (found as number[]).filter((uid) => uid > (afterUid ?? 0)).sort((a, b) => a - b);
      }),
    fetch: (uid) =>
      connection.run(async () => {
        const info = await client.fetchOne(String(uid), { size: true }, { uid: true });
        if (info && (info.size ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes);
        const mail = await client.fetchOne(
          String(uid),
          { source: true, flags: true, internalDate: true },
          { uid: true },
        );
        if (!mail || mail.source === undefined) throw new Error(`The mail ${uid} is gone`);
        const date = mail.internalDate && new Date(mail.internalDate).toISOString();
        return { source: mail.source, flags: [...(mail.flags ?? [])], ...(date && { date }) };
      }),
    markSeen: (uids) =>
      connection.run(async () => {
        if (uids.length > 0) await client.messageFlagsAdd(uids.join(','), ['\\Seen'], { uid: true });
      }),
    waitForChange: (milliseconds) =>
      connection.run(
        () =>
          new Promise<void>((resolve, reject) => {
            const done = () => {
              clearTimeout(timer);
              client.off('exists', done);
              client.off('close', lost);
              resolve();
            };
            const lost = () => {
              done();
              reject(new Error('The server closed the connection'));
            };
            const timer = setTimeout(done, milliseconds);
            client.on('exists', done);
            client.on('close', lost);
            client.idle().catch(lost);
          }),
      ),
    parse: parseMail,
  };
}

/** Rejects with the words of the server, where it said why. */
function explain(error: Error & { responseText?: string }): never {
  throw error.responseText ? new Error(error.responseText, { cause: error }) : error;
}

async function parseMail(source: Uint8Array): Promise<ParsedMail> {
  const { simpleParser } = await loadPackage('mailparser', () => import('mailparser'));
  const mail = await simpleParser(Buffer.from(source), { skipImageLinks: true });
  const headers: ParsedMail['headers'] = {};
  for (const { key, line } of mail.headerLines) {
    const value = line
      .slice(line.indexOf(':') + 1)
      .replace(/\r?\n[ \t]*/g, ' ')
      .trim();
    const former = headers[key];
    headers[key] = former === undefined ? value : [former, value].flat();
  }
  const addresses = (value: { text: string } | { text: string }[] | undefined) =>
    value &&
    [value]
      .flat()
      .map(({ text }) => text)
      .join(', ');
  const [from, to, cc] = [mail.from, mail.to, mail.cc].map(addresses);
  return {
    headers,
    ...(mail.text && { text: mail.text }),
    ...(mail.html && { html: mail.html }),
    ...(mail.subject !== undefined && { subject: mail.subject }),
    ...(from && { from }),
    ...(to && { to }),
    ...(cc && { cc }),
    ...(mail.date && { date: mail.date.toISOString() }),
    ...(mail.messageId && { messageId: mail.messageId }),
    attachments: mail.attachments.map(({ filename, contentType, content }, index) => ({
      fileName: filename || `attachment_${index}`,
      contentType,
      content: new Uint8Array(content),
    })),
  };
}
