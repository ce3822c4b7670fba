import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Host, Pair } from './certificates.ts';

const DAY = 86_400_000;
/** A certificate that ends sooner is replaced at the start. */
const RENEW = 60 * DAY;

export interface KeptCertificate {
  /** What the server shows, with its key. */
  server: Pair;
  /** What devices have to trust once. */
  authority: string;
  /** SHA-256 of the authority, `AB:CD:…`, to compare by eye. */
  fingerprint: string;
  /** Names and addresses that the certificate is good for. */
  hosts: string[];
}

/**
 * The installation's own certificate, in the folder `https` of its home, readable by its user only. The authority stays
 * for ten years; the server's certificate is made anew when it comes to its end or the computer has another address.
 */
export async function keptCertificate(
  home: string,
  hosts: readonly Host[] = ownHosts(),
): Promise<KeptCertificate> {
  const folder = join(home, 'https');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const made = () => import('./certificates.ts');
  let authority = await readPair(folder, 'authority');
  if (!authority || endsWithin(authority, RENEW)) {
    authority = await (await made()).makeAuthority(`tabd on ${hostname()}`);
    await writePair(folder, 'authority', authority);
  }
  let server = await readPair(folder, 'server');
  if (!server || !isGood(server, authority, hosts)) {
    server = await (await made()).makeServerCertificate(authority, hosts);
    await writePair(folder, 'server', server);
  }
  return {
    server: { ...server, certificate: `${server.certificate.trim()}\n${authority.certificate}` },
    authority: authority.certificate,
    fingerprint: new X509Certificate(authority.certificate).fingerprint256,
    hosts: hosts.map(({ value }) => value),
  };
}

/** What this computer is called, by itself and by its network. */
export function ownHosts(): Host[] {
  const name = hostname().toLowerCase();
  const names = ['localhost', ...(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? [name, localName(name)] : [])];
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    // Link-local ones carry a zone and change; nobody types them.
    .filter(({ address }) => !/^fe80:/i.test(address))
    .map(({ address }) => address);
  return [
    ...[...new Set(names)].map((value): Host => ({ kind: 'dns', value })),
    ...[...new Set(['127.0.0.1', '::1', ...addresses])].map((value): Host => ({ kind: 'ip', value })),
  ];
}

function localName(name: string): string {
  return name.includes('.') ? name : `${name}.local`;
}

function isGood(server: Pair, authority: Pair, hosts: readonly Host[]): boolean {
  const certificate = new X509Certificate(server.certificate);
  const covers = ({ kind, value }: Host) =>
    kind === 'ip' && isIP(value) ? certificate.checkIP(value) : certificate.checkHost(value);
  return (
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    !endsWithin(server, RENEW) &&
    hosts.every((host) => covers(host) !== undefined)
  );
}

function endsWithin({ certificate }: Pair, milliseconds: number): boolean {
  return Date.parse(new X509Certificate(certificate).validTo) - Date.now() < milliseconds;
}

async function readPair(folder: string, name: string): Promise<Pair | undefined> {
  try {
    const [certificate, key] = await Promise.all([
      readFile(join(folder, `${name}.pem`), 'utf8'),
      readFile(join(folder, `${name}-key.pem`), 'utf8'),
    ]);
    new X509Certificate(certificate);
    return { certificate, key };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `${folder} holds a damaged certificate (${(error as Error).message}): delete that folder, and trust the new certificate on your devices`,
      { cause: error },
    );
  }
}

/** The key first: a certificate without its key would be of no use. */
async function writePair(folder: string, name: string, pair: Pair): Promise<void> {
  for (const [file, text] of [
    [`${name}-key.pem`, pair.key],
    [`${name}.pem`, pair.certificate],
  ] as const) {
    const path = join(folder, file);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}
