/** An S3 server that checks signatures, with one user that may do everything in S3. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificatePair } from '#shim/https/certificates.ts';
import { writeCertificate } from './restartable-server.ts';
import { startMoto } from './s3.ts';

export interface GuardedS3 {
  port: number;
  bucket: string;
  keys: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string };
  close(): Promise<void>;
}

/** The requests that make the bucket, the user, its policy and its key. All later ones need a signature. */
const SET_UP_REQUESTS = 4;

/** moto with TLS. @param authority the certificate that signed `tls` */
export async function startGuardedS3(tls: CertificatePair, authority: string): Promise<GuardedS3> {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-s3-'));
  const { certificate, key } = writeCertificate(tls, folder);
  const { server, port } = await startMoto(['--ssl-cert', certificate, '--ssl-key', key], {
    INITIAL_NO_AUTH_ACTION_COUNT: String(SET_UP_REQUESTS),
  });
  const send = (method: string, service: string, url: string, body = '') =>
    new Promise<string>((resolve, reject) => {
      const scope = `key/20260101/us-east-1/${service}/aws4_request`;
      const headers = {
        authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const sending = request(
        { host: '127.0.0.1', port, method, path: url, headers, ca: authority },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          response.on('end', () =>
            response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
          );
        },
      );
      sending.on('error', reject).end(body);
    });
  const iam = (values: Record<string, string>) =>
    send(
      'POST',
      'iam',
      '/',
      String(new URLSearchParams({ Version: '2010-05-08', UserName: 'tabd', ...values })),
    );
  const bucket = 'guarded';
  await send('PUT', 's3', `/${bucket}`);
  await iam({ Action: 'CreateUser' });
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] };
  await iam({ Action: 'PutUserPolicy', PolicyName: 's3', PolicyDocument: JSON.stringify(policy) });
  const created = await iam({ Action: 'CreateAccessKey' });
  const field = (name: string) => new RegExp(`<${name}>([^<]+)`).exec(created)![1]!;
  return {
    port,
    bucket,
    keys: { AWS_ACCESS_KEY_ID: field('AccessKeyId'), AWS_SECRET_ACCESS_KEY: field('SecretAccessKey') },
    async close() {
      await server.stop('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
