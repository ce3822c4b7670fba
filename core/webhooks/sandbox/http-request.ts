/** `this.helpers.httpRequest` of Code nodes, on the side of the server. */
import type { Clock, Network } from '#core/host';
import { basicAuthorization } from '../outgoing/basic-authorization.ts';
import { type ArrayFormat, addQuery, encodeForm } from '../outgoing/query.ts';
import { type RequestBody, send } from '../outgoing/send.ts';

export interface CodeHttpRequest {
  url: string;
  baseURL?: string;
  method?: string;
  headers?: Record<string, unknown>;
  qs?: Record<string, unknown>;
  /** Text is sent as it is; anything else as JSON, or as a form where the content type says so. */
  body?: unknown;
  /** The body as bytes, instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer>;
  /** A multipart form instead of `body`. */
  fields?: { name: string; value?: string; bytes?: Uint8Array<ArrayBuffer>; fileName?: string }[];
  json?: boolean;
  encoding?: 'arraybuffer' | 'text' | 'json' | 'blob' | 'document' | 'stream';
  auth?: { username: string; password: string };
  /** Milliseconds. */
  timeout?: number;
  returnFullResponse?: boolean;
  ignoreHttpStatusErrors?: boolean;
  disableFollowRedirect?: boolean;
  skipSslCertificateValidation?: boolean;
  arrayFormat?: ArrayFormat;
}

interface CodeHttpResponse {
  value?: unknown;
  bytes?: Uint8Array;
  response?: { headers: Record<string, string>; statusCode: number; statusMessage: string };
}

/** Rejects where the response has an error status, unless the request ignores these. */
export async function sandboxHttpRequest(
  request: CodeHttpRequest,
  parts: { network: Network; clock: Clock },
  signal: AbortSignal,
): Promise<CodeHttpResponse> {
  const url = addQuery(new URL(request.url, request.baseURL).href, request.qs ?? {}, request.arrayFormat);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value !== undefined && value !== null) headers.set(name, String(value));
  }
  if (request.auth)
    headers.set('authorization', basicAuthorization(request.auth.username, request.auth.password));
  const body = bodyOf(request, headers);
  if (request.json && !headers.has('accept')) headers.set('accept', 'application/json');
  const sent = await send(
    {
      method: (request.method ?? 'GET').toUpperCase(),
      url,
      headers,
      ...(body !== undefined && { body }),
      followRedirects: !request.disableFollowRedirect,
      maxRedirects: 21,
      timeout: request.timeout ?? 300_000,
      secretHeaders: [],
    },
    { ...parts, network: networkFor(request, parts.network) },
    signal,
  );
  const { response } = sent;
  const result = await sent.read((received) => readBody(received, request));
  if (
    !response.ok &&
    !request.ignoreHttpStatusErrors &&
    !(request.disableFollowRedirect && response.status < 400)
  ) {
    throw new Error(`Request failed with status code ${response.status}`);
  }
  if (request.returnFullResponse) {
    result.response = {
      headers: Object.fromEntries(response.headers),
      statusCode: response.status,
      statusMessage: response.statusText,
    };
  }
  return result;
}

function networkFor({ skipSslCertificateValidation }: CodeHttpRequest, network: Network): Network {
  if (!skipSslCertificateValidation) return network;
  if (network.withRules) return network.withRules({ acceptsAnyCertificate: true });
  throw new Error('A browser does not let a page accept untrusted certificates');
}

function bodyOf(request: CodeHttpRequest, headers: Headers): RequestBody | undefined {
  if (request.bytes !== undefined) return request.bytes;
  if (request.fields) {
    const form = new FormData();
    for (const { name, value = '', bytes, fileName } of request.fields) {
      if (bytes === undefined) form.append(name, value);
      else form.append(name, new Blob([bytes]), fileName ?? name);
    }
    return form;
  }
  const { body } = request;
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  if (headers.get('content-type')?.includes('x-www-form-urlencoded')) {
    return encodeForm(body as Record<string, unknown>);
  }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return JSON.stringify(body);
}

async function readBody(response: Response, request: CodeHttpRequest): Promise<CodeHttpResponse> {
  if (request.encoding === 'arraybuffer' || request.encoding === 'stream' || request.encoding === 'blob') {
    return { bytes: new Uint8Array(await response.arrayBuffer()) };
  }
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  if (request.encoding !== 'text' && (request.json || request.encoding === 'json' || /\bjson\b/.test(type))) {
    try {
      return { value: JSON.parse(text) };
    } catch {
      // Returns the text unchanged.
    }
  }
  return { value: text };
}
