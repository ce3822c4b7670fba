/** One request and its answer. */

import type { Network } from '#core/host';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { withQuery } from '#core/webhooks/outgoing/query.ts';
import { RequestError } from '#core/webhooks/outgoing/request-error.ts';
import { type OutgoingRequest, send } from '#core/webhooks/outgoing/send.ts';
import { type Answer, type AnswerOptions, readAnswer } from './answer.ts';
import type { Authentication } from './auth.ts';
import { digestAnswer } from './digest.ts';
import { bodyOf, type Described, type Payload } from './request.ts';

export interface Transfer {
  network: Network;
  timeout: number;
  followRedirects: boolean;
  maxRedirects: number;
}

const DEFAULT_TIMEOUT = 300_000;
const ACCEPTED: Record<AnswerOptions['responseFormat'], string> = {
  autodetect:
    'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7',
  json: 'application/json,text/*;q=0.99',
  text: 'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, */*;q=0.1',
  file: '*/*',
};

export async function transferOf(context: NodeContext, index: number): Promise<Transfer> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const redirect =
    (await get<{ followRedirects?: boolean; maxRedirects?: number }>('options.redirect.redirect', {})) ?? {};
  const proxy = String((await get('options.proxy', '')) ?? '').trim();
  const anyCertificate = (await get('options.allowUnauthorizedCerts', false)) === true;
  const timeout = Number(await get('options.timeout', DEFAULT_TIMEOUT)) || DEFAULT_TIMEOUT;
  let { network } = context;
  if (proxy !== '' || anyCertificate) {
    if (!network.withRules) {
      throw new NodeError(
        `A browser does not let a page ${proxy === '' ? 'accept certificates that nobody vouches for' : 'choose a proxy'}`,
        { description: 'Take the option out, or run the workflow on your computer with the tabd shim.' },
      );
    }
    network = network.withRules({
      ...(proxy !== '' && { proxy }),
      ...(anyCertificate && { anyCertificate }),
    });
  }
  return {
    network,
    timeout,
    followRedirects: redirect.followRedirects !== false,
    maxRedirects: Number(redirect.maxRedirects ?? 21),
  };
}

/** Throws `RequestFailed` when there was no answer; an answer with an error status is an answer. */
export async function exchange(
  described: Described,
  auth: Authentication,
  transfer: Transfer,
  format: AnswerOptions['responseFormat'],
  context: NodeContext,
): Promise<Answer> {
  const request = outgoing(described, auth, transfer, format);
  const parts = { network: transfer.network, clock: { after: afterOf(context) } };
  let sent = await send(request, parts, context.signal);
  if (auth.digest && sent.response.status === 401) {
    const answer = await digestAnswer(sent.response.headers.get('www-authenticate'), request, auth.digest);
    if (answer !== undefined) {
      await sent.read((response) => response.arrayBuffer());
      request.headers.set('authorization', answer);
      sent = await send(request, parts, context.signal);
    }
  }
  return sent.read((response) => readAnswer(response, format));
}

function outgoing(
  { method, url, query, headers: given, body: payload, arrays }: Described,
  auth: Authentication,
  { timeout, followRedirects, maxRedirects }: Transfer,
  format: AnswerOptions['responseFormat'],
): OutgoingRequest {
  const { body, type } = bodyOf(withFields(method, payload, auth.body));
  if (body !== undefined && /^(GET|HEAD)$/.test(method)) {
    throw new RequestError(`A ${method} request cannot carry a body`, {
      description: 'Send the values as query parameters, or use another method.',
    });
  }
  const headers = headersOf({
    accept: ACCEPTED[format],
    ...(type !== undefined && { 'content-type': type }),
    ...given,
  });
  for (const [name, value] of Object.entries(auth.headers)) set(headers, name, value);
  return {
    method,
    url: withQuery(url, { ...query, ...auth.query }, arrays),
    headers,
    ...(body !== undefined && { body }),
    timeout,
    followRedirects,
    maxRedirects,
    secretHeaders: Object.keys(auth.headers),
  };
}

function withFields(method: string, payload: Payload, more: Record<string, unknown>): Payload {
  if (Object.keys(more).length === 0) return payload;
  if (payload.kind === 'none') return /^(GET|HEAD)$/.test(method) ? payload : { kind: 'json', value: more };
  if (payload.kind === 'json' || payload.kind === 'form') {
    return { ...payload, value: { ...(payload.value as object), ...more } } as Payload;
  }
  return payload;
}

function headersOf(values: Record<string, string>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(values)) set(headers, name, value);
  return headers;
}

function set(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch (cause) {
    throw new RequestError(`The header ${JSON.stringify(name)} cannot be sent`, {
      description: 'Names hold letters, digits and hyphens; values hold no line breaks and only Latin-1.',
      cause,
    });
  }
}

/** The context has a clock only for waiting. */
function afterOf(context: NodeContext) {
  return (milliseconds: number, callback: () => void): (() => void) => {
    const controller = new AbortController();
    const waiting = AbortSignal.any([controller.signal, context.signal]);
    context.sleep(milliseconds, waiting).then(callback, () => undefined);
    return () => controller.abort();
  };
}
