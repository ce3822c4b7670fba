import type { ConnectionLimits, MailSender, SmtpSettings } from '#core/host';
import { Connection, loadPackage } from './connection.ts';
import { allowedAddress, tlsOptions } from './reach.ts';

export async function connectSmtp(settings: SmtpSettings, limits: ConnectionLimits): Promise<MailSender> {
  const { createTransport } = await loadPackage('nodemailer', () => import('nodemailer'));
  const { host, port, tls, user, password, hostName } = settings;
  const transport = createTransport({
    host: await allowedAddress(settings, limits),
    port,
    secure: tls !== undefined && !tls.startTls,
    ignoreTLS: tls === undefined,
    ...(tls && { tls: tlsOptions(host, tls) }),
    ...(user && { auth: { user, pass: password ?? '' } }),
    ...(hostName && { name: hostName }),
    connectionTimeout: limits.connectTimeout,
    greetingTimeout: limits.connectTimeout,
    // A mail cannot make this computer read files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const connection = new Connection(limits.signal, () => transport.close());
  return {
    close: () => connection.close(),
    send: ({ attachments, ...mail }) =>
      connection.run(async () => {
        const files = attachments.map((file) => ({ ...file, content: Buffer.from(file.content) }));
        const report: object = await transport.sendMail({ ...mail, attachments: files });
        return { ...report };
      }),
  };
}
