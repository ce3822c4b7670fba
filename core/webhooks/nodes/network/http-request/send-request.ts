/** Sends one request and reads its response. */

import type { Network } from '#core/host';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { addQuery } from '#core/webhooks/outgoing/query.ts';
import { RequestError } from '#core/webhooks/outgoing/request-error.ts';
import { type NetworkRequest, send } from '#core/webhooks/outgoing/send.ts';
import type { Authentication } from './authentication.ts';
import { encodePayload, type Payload, type RequestDescription } from './describe-request.ts';
import { digestAuthorization } from './digest-authorization.ts';
import { type HttpResponseOptions, type ReceivedResponse, readResponse } from './response.ts';

interface TransferOptions {
  network: Network;
  /** Milliseconds. */
  timeout: number;
  followRedirects: boolean;
  maxRedirects: number;
}

/** Milliseconds. */
const DEFAULT_TIMEOUT = 300_000;
/** The `accept` header for each format. */
const ACCEPT: Record<HttpResponseOptions['responseFormat'], string> = {
  autodetect:
    'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7',
  json: 'application/json,text/*;q=0.99',
  text: 'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, */*;q=0.1',
  file: '*/*',
};

/** @throws NodeError for a proxy, or for untrusted certificates, where the platform has neither */
export async function readTransferOptions(context: NodeContext, index: number): Promise<TransferOptions> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const redirect =
    (await get<{ followRedirects?: boolean; maxRedirects?: number }>('options.redirect.redirect', {})) ?? {};
  return transferOver(context, {
    proxy: String((await get('options.proxy', '')) ?? '').trim(),
    allowAnyCertificate: (await get('options.allowUnauthorizedCerts', false)) === true,
    timeout: Number(await get('options.timeout', DEFAULT_TIMEOUT)),
    followRedirects: redirect.followRedirects !== false,
    maxRedirects: Number(redirect.maxRedirects ?? 21),
  });
}

/** Transfer options over the node's network. @throws NodeError as `readTransferOptions` does */
export function transferOver(
  context: NodeContext,
  {
    proxy,
    allowAnyCertificate,
    ...options
  }: Omit<TransferOptions, 'network'> & { proxy: string; allowAnyCertificate: boolean },
): TransferOptions {
  let { network } = context;
  if (proxy !== '' || allowAnyCertificate) {
    if (!network.withRules) {
      throw new NodeError(
        `A browser does not let a page ${proxy === '' ? 'accept untrusted certificates' : 'choose a proxy'}`,
        { description: 'Remove the option, or run the workflow on your computer with the tabd shim.' },
      );
    }
    network = network.withRules({
      ...(proxy !== '' && { proxy }),
      ...(allowAnyCertificate && { acceptsAnyCertificate: true }),
    });
  }
  return { ...options, network, timeout: options.timeout || DEFAULT_TIMEOUT };
}

/**
 * Sends a request, a second time if the server asks for digest authentication or for a new token. A response with an error status is
 * returned like any other.
 * @throws RequestError when there was no response
 */
export async function sendRequest(
  description: RequestDescription,
  authentication: Authentication,
  transfer: TransferOptions,
  format: HttpResponseOptions['responseFormat'],
  context: NodeContext,
): Promise<ReceivedResponse> {
  const request = outgoingRequest(description, authentication, transfer, format);
  const services = { network: transfer.network, clock: { after: timerOf(context) } };
  let sent = await send(request, services, context.signal);
  const { digest, renew } = authentication;
  if (renew && sent.response.status === 401) {
    await sent.read((response) => response.arrayBuffer());
    setHeaders(request.headers, await renew());
    sent = await send(request, services, context.signal);
  }
  if (digest && sent.response.status === 401) {
    const challenge = sent.response.headers.get('www-authenticate');
    const authorization = await digestAuthorization(challenge, request, digest);
    if (authorization !== undefined) {
      await sent.read((response) => response.arrayBuffer());
      request.headers.set('authorization', authorization);
      sent = await send(request, services, context.signal);
    }
  }
  return sent.read((response) => readResponse(response, format));
}

function outgoingRequest(
  { method, url, query, headers: ownHeaders, body: payload, arrays }: RequestDescription,
  authentication: Authentication,
  { timeout, followRedirects, maxRedirects }: TransferOptions,
  format: HttpResponseOptions['responseFormat'],
): NetworkRequest {
  const { body, type } = encodePayload(addFields(method, payload, authentication.body));
  if (body !== undefined && /^(GET|HEAD)$/.test(method)) {
    throw new RequestError(`A ${method} request cannot carry a body`, {
      description: 'Send the values as query parameters, or use another method.',
    });
  }
  const headers = new Headers();
  setHeaders(headers, { accept: ACCEPT[format], ...(type !== undefined && { 'content-type': type }) });
  setHeaders(headers, ownHeaders);
  setHeaders(headers, authentication.headers);
  return {
    method,
    url: addQuery(url, { ...query, ...authentication.query }, arrays),
    headers,
    ...(body !== undefined && { body }),
    timeout,
    followRedirects,
    maxRedirects,
    secretHeaders: Object.keys(authentication.headers),
  };
}

/** Adds the fields of a credential to a body of JSON or a form. Other bodies cannot take fields. */
function addFields(method: string, payload: Payload, fields: Record<string, unknown>): Payload {
  if (Object.keys(fields).length === 0) return payload;
  if (payload.kind === 'none') return /^(GET|HEAD)$/.test(method) ? payload : { kind: 'json', value: fields };
  if (payload.kind === 'json' || payload.kind === 'form') {
    return { ...payload, value: { ...(payload.value as object), ...fields } } as Payload;
  }
  return payload;
}

function setHeaders(headers: Headers, values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) {
    try {
      headers.set(name, value);
    } catch (cause) {
      throw new RequestError(`The header ${JSON.stringify(name)} cannot be sent`, {
        description: 'Names hold letters, digits and hyphens; values hold no line breaks and only Latin-1.',
        cause,
      });
    }
  }
}

/** `Clock.after` by way of the context, which can only sleep. */
function timerOf(context: NodeContext) {
  return (milliseconds: number, callback: () => void): (() => void) => {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, context.signal]);
    context.sleep(milliseconds, signal).then(callback, () => undefined);
    return () => controller.abort();
  };
}
