import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { XmlError } from '#core/webhooks/xml/read-xml.ts';
import type { JsonObject } from '#core/workflow-format';
import { sendRequest, transferOver } from '../../network/http-request/send-request.ts';
import { FeedError, readFeed } from './read-feed.ts';

const ACCEPT =
  'application/rss+xml, application/rdf+xml;q=0.8, application/atom+xml;q=0.6, application/xml;q=0.4, text/xml;q=0.4';

interface FeedRequest {
  url: string;
  /** The `accept` header. */
  accept?: string;
  allowAnyCertificate?: boolean;
  /** Further elements whose text becomes a field. */
  custom?: string[];
}

/** The entries of the feed at an address. @throws NodeError for an answer that is not a feed */
export async function fetchFeed(
  context: NodeContext,
  { url, accept = ACCEPT, allowAnyCertificate = false, custom = [] }: FeedRequest,
): Promise<JsonObject[]> {
  const transfer = transferOver(context, {
    proxy: '',
    allowAnyCertificate,
    timeout: 60_000,
    followRedirects: true,
    maxRedirects: 5,
  });
  const description = {
    method: 'GET',
    url,
    query: {},
    headers: { accept, 'user-agent': 'rss-parser' },
    body: { kind: 'none' },
    arrays: 'repeat',
  } as const;
  const none = { headers: {}, query: {}, body: {} };
  const response = await sendRequest(description, none, transfer, 'text', context);
  if (response.statusCode >= 400) {
    throw new NodeError(`Request failed with status code ${response.statusCode}`);
  }
  try {
    return readFeed(String(response.body), custom);
  } catch (error) {
    if (error instanceof XmlError || error instanceof FeedError)
      throw new NodeError(error.message, { cause: error });
    throw error;
  }
}
