/** Real file servers and mail servers for tests. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { pythonPackage } from '../processes/python-package.ts';
import { identityOf, type StartedServer, startServer } from './server-process.ts';

/** The Python that has the modules of Debian's packages. */
const DEBIAN_PYTHON = '/usr/bin/python3';

/** An FTP server with the user `tabd`, password `secret`. Its files are in `files`. */
export function startFtp(): Promise<StartedServer> {
  return startServer({
    program: DEBIAN_PYTHON,
    debianPackage: 'python3-pyftpdlib',
    prepare: ({ folder }) => void mkdirSync(join(folder, 'files')),
    args: ({ port, folder }) => [
      ...['-m', 'pyftpdlib', '-i', '127.0.0.1', '-p', String(port), '-w'],
      ...['-d', join(folder, 'files'), '-u', 'tabd', '-P', 'secret'],
    ],
  });
}

/** OpenSSH for the user of the tests, with the key of `privateKey`. */
export async function startSsh(): Promise<StartedServer & { user: string; privateKey: string }> {
  let privateKey = '';
  const server = await startServer({
    program: 'sshd',
    debianPackage: 'openssh-server',
    prepare: ({ folder, run }) => {
      for (const name of ['host', 'user'])
        run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
      privateKey = readFileSync(join(folder, 'user'), 'utf8');
      chmodSync(folder, 0o700);
      // As root the server needs this folder.
      if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
    },
    args: ({ port, folder }) => [
      ...['-D', '-e', '-f', '/dev/null', '-p', String(port)],
      ...['ListenAddress=127.0.0.1', 'UsePAM=no', 'StrictModes=no', 'Subsystem=sftp internal-sftp']
        .concat([
          `HostKey=${join(folder, 'host')}`,
          `AuthorizedKeysFile=${join(folder, 'user.pub')}`,
          `PidFile=${join(folder, 'pid')}`,
        ])
        .flatMap((option) => ['-o', option]),
    ],
  });
  return { ...server, user: userInfo().username, privateKey };
}

/** A mail server that takes mails to every address, and puts them into the folder `mails`. */
export function startSmtp(folder: string): Promise<StartedServer> {
  return startServer({
    program: DEBIAN_PYTHON,
    debianPackage: 'python3-aiosmtpd',
    user: 'nobody',
    args: ({ port }) => [
      '-m',
      'aiosmtpd',
      '-n',
      '-l',
      `127.0.0.1:${port}`,
      '-c',
      'aiosmtpd.handlers.Mailbox',
      folder,
    ],
  });
}

/** Dovecot with the user `tabd`, password `secret`. The mailbox is the folder `mails`. */
export function startImap(): Promise<StartedServer & { mails: string }> {
  const mailsOf = (folder: string) => join(folder, 'mails');
  // Root has no mailbox.
  const { uid, gid } = identityOf('nobody') ?? userInfo();
  const user = userInfo().username;
  return startServer({
    program: 'dovecot',
    debianPackage: 'dovecot-imapd',
    prepare: ({ port, folder }) => {
      // A part of the server runs as another user.
      chmodSync(folder, 0o755);
      for (const part of ['', 'cur', 'new', 'tmp']) {
        mkdirSync(join(mailsOf(folder), part));
        chownSync(join(mailsOf(folder), part), uid, gid);
      }
      writeFileSync(join(folder, 'users'), `tabd:{PLAIN}secret:${uid}:${gid}::${folder}\n`);
      writeFileSync(
        join(folder, 'conf'),
        [
          `base_dir = ${join(folder, 'run')}`,
          `log_path = ${join(folder, 'log')}`,
          'protocols = imap',
          'listen = 127.0.0.1',
          'ssl = no',
          'disable_plaintext_auth = no',
          `default_login_user = ${user === 'root' ? 'nobody' : user}`,
          `default_internal_user = ${user === 'root' ? 'nobody' : user}`,
          `default_internal_group = ${user === 'root' ? 'nogroup' : execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()}`,
          `mail_location = maildir:${mailsOf(folder)}`,
          'first_valid_uid = 0',
          'first_valid_gid = 0',
          `passdb {\n  driver = passwd-file\n  args = ${join(folder, 'users')}\n}`,
          `userdb {\n  driver = passwd-file\n  args = ${join(folder, 'users')}\n}`,
          `service imap-login {\n  chroot =\n  inet_listener imap {\n    port = ${port}\n  }\n  inet_listener imaps {\n    port = 0\n  }\n}`,
          'service anvil {\n  chroot =\n}',
          'service stats {\n  chroot =\n}',
        ].join('\n'),
      );
    },
    args: ({ folder }) => ['-F', '-c', join(folder, 'conf')],
  }).then((server) => ({ ...server, mails: mailsOf(server.folder) }));
}

/** The packages of the server of S3. */
const MOTO = ['moto==5.2.5', 'flask-cors==6.0.5', 'PyYAML==6.0.4'];

/** A server of S3: moto, which pip installs into the cache of this repository. */
export async function startS3(): Promise<StartedServer> {
  const folders: string[] = [];
  for (const requirement of MOTO) folders.push(await pythonPackage(requirement));
  return startServer({
    program: 'python3',
    debianPackage: 'python3-pip',
    env: () => ({ PYTHONPATH: folders.join(':') }),
    args: ({ port }) => ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
  });
}
