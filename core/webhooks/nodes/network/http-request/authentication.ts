/** Reads the node's credential and what it adds to a request. */

import { isObject } from '#core/base';
import {
  authenticatesRequests,
  credentialType,
  credentialTypes,
} from '#core/webhooks/credentials/credential-types.ts';
import { fillAll, fillFields } from '#core/webhooks/credentials/fill-fields.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { basicAuthorization } from '#core/webhooks/outgoing/basic-authorization.ts';
import type { JsonObject, NodeSettings } from '#core/workflow-format';
import { parseJsonParameter } from '../../shared/parse-json.ts';
import { LEGACY_AUTHENTICATION } from './legacy-parameters.ts';

export interface Authentication {
  headers: Record<string, string>;
  query: JsonObject;
  body: JsonObject;
  /** Used once the server has sent its challenge. */
  digest?: { user: string; password: string };
  /** New headers, for when the service does not accept those any more. */
  renew?(): Promise<Record<string, string>>;
}

/** The types of credentials that are not made for one service. */
export const GENERIC_TYPES = [
  'httpBasicAuth',
  'httpBearerAuth',
  'httpCustomAuth',
  'httpDigestAuth',
  'httpHeaderAuth',
  'httpQueryAuth',
  'oAuth2Api',
];

/** The types that are made for one service, and that say what a request carries. */
export const PREDEFINED_TYPES = credentialTypes
  .filter((type) => authenticatesRequests(type) && !GENERIC_TYPES.includes(type.name))
  .map(({ name }) => name);

/** Ways to log in that would fail at each run. */
export function authenticationIssues({ get }: NodeSettings): string[] {
  const authentication = String(get('authentication') ?? 'none');
  if (authentication === 'none' || LEGACY_AUTHENTICATION[authentication]) return [];
  const isGeneric = authentication === 'genericCredentialType';
  const type = String(get(isGeneric ? 'genericAuthType' : 'nodeCredentialType') ?? '');
  // Files may name a generic type where one of a service is expected.
  const types = isGeneric ? GENERIC_TYPES : [...PREDEFINED_TYPES, ...GENERIC_TYPES];
  if (type === '' || types.includes(type)) return [];
  const shown = authentication.startsWith('oAuth') ? authentication : type || authentication;
  return [
    `Credentials of the type "${shown}" cannot be used here: choose "Generic Credential Type" and one of ${GENERIC_TYPES.join(', ')}`,
  ];
}

/** @throws NodeError for a credential of another type, or one that is not set */
export async function readAuthentication(context: NodeContext): Promise<Authentication> {
  const authentication = context.literal<string>('authentication', 'none');
  if (authentication === 'none') return NO_AUTHENTICATION;
  const type =
    LEGACY_AUTHENTICATION[authentication] ??
    context.literal<string>(
      authentication === 'genericCredentialType' ? 'genericAuthType' : 'nodeCredentialType',
      '',
    );
  return authenticationOf(context, type);
}

/**
 * Reads the additions of the node's credential of this type to a request.
 * @param scope of a service account
 * @throws NodeError for a type that adds nothing, or a credential that is not set
 */
export async function authenticationOf(
  context: NodeContext,
  type: string,
  scope?: string,
): Promise<Authentication> {
  const none = NO_AUTHENTICATION;
  if (PREDEFINED_TYPES.includes(type) || type === 'oAuth2Api') return ofCredentialType(context, type, scope);
  if (!GENERIC_TYPES.includes(type)) {
    throw new NodeError(`Credentials of the type "${type}" cannot be used for requests here`, {
      description: `Choose "Generic Credential Type" and one of ${GENERIC_TYPES.join(', ')}. Most services take a token as Bearer or Header Auth.`,
    });
  }
  const data = await context.credential(type);
  const text = (field: string) => String(data[field] ?? '');
  switch (type) {
    case 'httpBasicAuth':
      return { ...none, headers: { authorization: basicAuthorization(text('user'), text('password')) } };
    case 'httpBearerAuth':
      return { ...none, headers: { authorization: `Bearer ${text('token')}` } };
    case 'httpHeaderAuth':
      return { ...none, headers: { [text('name')]: text('value') } };
    case 'httpQueryAuth':
      return { ...none, query: { [text('name')]: text('value') } };
    case 'httpDigestAuth':
      return { ...none, digest: { user: text('user'), password: text('password') } };
    default:
      return customAuthentication(text('json'));
  }
}

export const NO_AUTHENTICATION: Authentication = { headers: {}, query: {}, body: {} };

async function ofCredentialType(
  context: NodeContext,
  name: string,
  scope: string | undefined,
): Promise<Authentication> {
  const { authenticate, oauth2 } = credentialType(name)!;
  if (oauth2) {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const options = scope === undefined ? {} : { scope };
    const token = await context.accessToken(name, options);
    return {
      ...NO_AUTHENTICATION,
      headers: bearer(token),
      renew: async () => bearer(await context.accessToken(name, { ...options, refused: token })),
    };
  }
  const data = await context.credential(name);
  const { headers, query, body, basic } = authenticate!;
  return {
    headers: {
      ...fillAll(headers, data),
      ...(basic && {
        authorization: basicAuthorization(fillFields(basic.user, data), fillFields(basic.password, data)),
      }),
    },
    query: fillAll(query, data),
    body: fillAll(body, data),
  };
}

/** @param json an object with `headers`, `qs` and `body` */
function customAuthentication(json: string): Authentication {
  const parts = parseJsonParameter(json, 'The JSON of the Custom Auth credential is not valid');
  const part = (name: string): JsonObject => {
    const value = isObject(parts) ? parts[name] : undefined;
    return isObject(value) ? value : {};
  };
  const headers = Object.entries(part('headers')).map(([name, value]) => [name, String(value)]);
  return { headers: Object.fromEntries(headers), query: part('qs'), body: part('body') };
}
