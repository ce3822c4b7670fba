import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { CertificateHost, CertificatePair } from './certificates.ts';

const DAY = 86_400_000;
/** Milliseconds. A certificate that expires within this time is replaced when tabd starts. */
const RENEW_BEFORE_END = 60 * DAY;

export interface StoredCertificate {
  /** The server's certificate chain and key. */
  server: CertificatePair;
  /** The authority's certificate (PEM), which devices must trust once. */
  authority: string;
  /** SHA-256 of the authority, `AB:CD:…`, for comparison by the user. */
  fingerprint: string;
  /** Names and addresses for which the certificate is valid. */
  hosts: string[];
}

/**
 * The installation's own certificate, in the folder `https` of its home, readable by its user only. The
 * authority is valid for ten years. The server's certificate is renewed before it expires, and when the
 * computer has another address.
 */
export async function storedCertificate(
  home: string,
  hosts: readonly CertificateHost[] = ownHosts(),
): Promise<StoredCertificate> {
  const folder = join(home, 'https');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const certificates = () => import('./certificates.ts');
  let authority = await readPair(folder, 'authority');
  if (!authority || endsWithin(authority, RENEW_BEFORE_END)) {
    authority = await (await certificates()).makeAuthority(`tabd on ${hostname()}`);
    await writePair(folder, 'authority', authority);
  }
  let server = await readPair(folder, 'server');
  if (!server || !isUsable(server, authority, hosts)) {
    server = await (await certificates()).makeServerCertificate(authority, hosts);
    await writePair(folder, 'server', server);
  }
  return {
    server: { ...server, certificate: `${server.certificate.trim()}\n${authority.certificate}` },
    authority: authority.certificate,
    fingerprint: new X509Certificate(authority.certificate).fingerprint256,
    hosts: hosts.map(({ value }) => value),
  };
}

/** The names and addresses of this computer. */
export function ownHosts(): CertificateHost[] {
  const name = hostname().toLowerCase();
  const names = ['localhost', ...(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? [name, localName(name)] : [])];
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    // Users never type link-local addresses, which contain a zone and change.
    .filter(({ address }) => !/^fe80:/i.test(address))
    .map(({ address }) => address);
  return [
    ...[...new Set(names)].map((value): CertificateHost => ({ kind: 'dns', value })),
    ...[...new Set(['127.0.0.1', '::1', ...addresses])].map(
      (value): CertificateHost => ({ kind: 'ip', value }),
    ),
  ];
}

function localName(name: string): string {
  return name.includes('.') ? name : `${name}.local`;
}

function isUsable(
  server: CertificatePair,
  authority: CertificatePair,
  hosts: readonly CertificateHost[],
): boolean {
  const certificate = new X509Certificate(server.certificate);
  const covers = ({ kind, value }: CertificateHost) =>
    kind === 'ip' && isIP(value) ? certificate.checkIP(value) : certificate.checkHost(value);
  return (
    certificate.verify(new X509Certificate(authority.certificate).publicKey) &&
    !endsWithin(server, RENEW_BEFORE_END) &&
    hosts.every((host) => covers(host) !== undefined)
  );
}

function endsWithin({ certificate }: CertificatePair, milliseconds: number): boolean {
  return Date.parse(new X509Certificate(certificate).validTo) - Date.now() < milliseconds;
}

async function readPair(folder: string, name: string): Promise<CertificatePair | undefined> {
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
      `${folder} contains a damaged certificate (${(error as Error).message}): delete that folder, and trust the new certificate on your devices`,
      { cause: error },
    );
  }
}

/** Writes the key first, because a certificate without its key is useless. */
async function writePair(folder: string, name: string, pair: CertificatePair): Promise<void> {
  for (const [file, text] of [
    [`${name}-key.pem`, pair.key],
    [`${name}.pem`, pair.certificate],
  ] as const) {
    const path = join(folder, file);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}
