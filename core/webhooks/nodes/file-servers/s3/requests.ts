/** Signed requests to a server of S3, and its answers. */
import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { textOf } from '../../databases/with-client.ts';

/** Bytes of a file, which is in memory until it is stored. */
const LARGEST_FILE = 256 * 2 ** 20;

export interface S3Request {
  method?: string;
  bucket?: string;
  /** The key of a file, as it is. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
}

export interface S3Client {
  region: string;
  send(request: S3Request): Promise<Response>;
  /** The answer as an object. */
  xml(request: S3Request): Promise<JsonObject>;
}

const parser = new XMLParser({ ignoreDeclaration: true, parseTagValue: false, processEntities: true });

/** @param credential of the type `s3` or `aws` */
export function openS3(context: NodeContext, credential: JsonObject): S3Client {
  const region = textOf(credential.region) || 'us-east-1';
  const custom =
    textOf(credential.endpoint) || (credential.customEndpoints === true ? textOf(credential.s3Endpoint) : '');
  const base = custom || `https://s3.${region}.amazonaws.com`;
  if (!URL.canParse(base)) throw new NodeError(`The endpoint "${base}" of the credential is not an address`);
  const send = async (request: S3Request): Promise<Response> => {
    const url = addressOf(new URL(base), request, credential.forcePathStyle === true);
    const session = credential.temporaryCredentials === true ? textOf(credential.sessionToken) : '';
    const signed = await new AwsV4Signer({
      accessKeyId: textOf(credential.accessKeyId),
      secretAccessKey: textOf(credential.secretAccessKey),
      ...(session !== '' && { sessionToken: session }),
      service: 's3',
      region,
      url: url.href,
      method: request.method ?? 'GET',
      headers: request.headers ?? {},
      ...(request.body !== undefined && { body: request.body }),
    }).sign();
    const ignores = credential.ignoreSSLIssues === true;
    const network =
      (ignores && context.network.withRules?.({ acceptsAnyCertificate: true })) || context.network;
    const response = await network.fetch(signed.url.href, {
      method: signed.method,
      headers: signed.headers,
      ...(request.body !== undefined && { body: request.body }),
    });
    if (!response.ok) throw await failure(response);
    return response;
  };
  return {
    region,
    send,
    async xml(request) {
      const value: unknown = parser.parse(await (await send(request)).text());
      return isObject(value) ? value : {};
    },
  };
}

/** The address with the bucket in its path, or in the name of the host where the service has such names. */
function addressOf(url: URL, { bucket, key = '', query = {} }: S3Request, isPathStyle: boolean): URL {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const hasNames = url.hostname.endsWith('amazonaws.com') && !isPathStyle && !bucket?.includes('.');
  if (bucket !== undefined && hasNames) url.hostname = `${bucket}.${url.hostname}`;
  const prefix = url.pathname.replace(/\/$/, '');
  url.pathname = `${prefix}/${bucket === undefined || hasNames ? '' : `${encodeURIComponent(bucket)}/`}${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** The error of the server, with its own words. */
async function failure(response: Response): Promise<NodeError> {
  const text = await response.text();
  const body: unknown = text.trim().startsWith('<') ? parser.parse(text) : {};
  const message = getPath(body, 'Error.Message') ?? getPath(body, 'Error.Code');
  return new NodeError(String(message ?? `The server answered with the status ${response.status}`), {
    name: 'NodeApiError',
    httpCode: String(response.status),
    description: String(getPath(body, 'Error.Code') ?? ''),
  });
}

/** @throws NodeError for a file that is too large */
export async function fileBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(response.headers.get('content-length')) > LARGEST_FILE) {
    await response.body?.cancel();
    throw new NodeError(`The file is larger than ${LARGEST_FILE / 2 ** 20} MiB`);
  }
  return new Uint8Array(await response.arrayBuffer());
}
