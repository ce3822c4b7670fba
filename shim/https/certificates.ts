import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its private key, both as PEM. */
export interface CertificatePair {
  certificate: string;
  key: string;
}

const DAY = 86_400_000;
/** Users install the authority on every device by hand, so it is valid for ten years. */
const AUTHORITY_DAYS = 3650;
/** Systems refuse server certificates that are valid for more than about 13 months. */
const SERVER_DAYS = 396;
/** Milliseconds. A certificate is valid from a day before its creation, because the clocks of devices differ. */
const CLOCK_SKEW = DAY;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a certificate authority for the server certificates of this installation. */
export async function makeAuthority(name: string): Promise<CertificatePair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }, { O: ['tabd'] }],
    keys,
    ...validFor(AUTHORITY_DAYS),
    signingAlgorithm: ALGORITHM,
    extensions: [
      // Path length 0: it may not sign further authorities.
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

/** Creates a certificate for a server with these names and addresses. */
export async function makeServerCertificate(
  authority: CertificatePair,
  hosts: readonly CertificateHost[],
): Promise<CertificatePair> {
  const keys = await newKeys();
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(
      hosts.map(({ kind, value }) => ({ type: kind, value })) as JsonGeneralNames,
    ),
  ];
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: ['tabd'] }],
    issuer: new X509Certificate(authority.certificate).subject,
    publicKey: keys.publicKey,
    signingKey: await privateKey(authority.key),
    ...validFor(SERVER_DAYS),
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

interface KeyPair {
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

export interface CertificateHost {
  kind: 'dns' | 'ip';
  value: string;
}

function validFor(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - CLOCK_SKEW), notAfter: new Date(now + days * DAY) };
}

async function newKeys(): Promise<KeyPair> {
  return (await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as KeyPair;
}

async function pemOf(key: CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function privateKey(pem: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), ALGORITHM, false, ['sign']);
}
