/** Signs, verifies and reads JSON Web Tokens. */

import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import {
  CredentialUnusable,
  decodeJwt,
  type JwtCredential,
  signJwt,
  TokenRefused,
  verifyJwt,
} from '../../credentials/jwt.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { choice, collection, flag, jsonText, number, options, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';

const ALGORITHMS = ['HS', 'RS', 'ES', 'PS'].flatMap((kind) =>
  [256, 384, 512].map((bits) => `${kind}${bits}`),
);

export const jwt: NodeType = {
  name: 'n8n-nodes-base.jwt',
  label: 'JWT',
  description: 'Signs, verifies and decodes JSON Web Tokens.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  credentials: [{ type: 'jwtAuth', required: true, show: { operation: ['sign', 'verify'] } }],
  parameters: [
    choice('operation', 'Operation', 'sign', {
      literal: true,
      options: { decode: 'Decode', sign: 'Sign', verify: 'Verify' },
    }),
    flag('useJson', 'Use JSON to Build Payload', { show: { operation: ['sign'] } }),
    collection('claims', 'Payload Claims', {
      show: { operation: ['sign'], useJson: [false] },
      fields: [
        text('audience', 'Audience', { description: 'Who the token is for.' }),
        number('expiresIn', 'Expires In', 3600, { description: 'Seconds for which the token is valid.' }),
        text('issuer', 'Issuer', { description: 'Who issued the token.' }),
        text('jwtid', 'JWT ID', { description: 'An identifier that no other token has.' }),
        number('notBefore', 'Not Before', 0, { description: 'Seconds until the token is valid.' }),
        text('subject', 'Subject', { description: 'Who the token is about.' }),
      ],
    }),
    jsonText('claimsJson', 'Payload Claims (JSON)', {
      default: '{\n  "my_field_1": "value 1"\n}',
      show: { operation: ['sign'], useJson: [true] },
    }),
    text('token', 'Token', { required: true, show: { operation: ['verify', 'decode'] } }),
    options({
      fields: [
        choice('algorithm', 'Override Algorithm', 'HS256', {
          options: ALGORITHMS,
          show: { '/operation': ['sign', 'verify'] },
        }),
        flag('complete', 'Return Additional Info', {
          description: 'Header and signature as well.',
          show: { '/operation': ['verify', 'decode'] },
        }),
        flag('ignoreExpiration', 'Ignore Expiration', { show: { '/operation': ['verify'] } }),
        flag('ignoreNotBefore', 'Ignore Not Before Claim', { show: { '/operation': ['verify'] } }),
        number('clockTolerance', 'Clock Tolerance', 0, {
          description: 'Seconds by which the clocks may differ.',
          show: { '/operation': ['verify'] },
        }),
        text('kid', 'Key ID', { show: { '/operation': ['sign'] } }),
      ],
    }),
  ],
  execute: (context) => perItem(context, (_item, index) => runOperation(context, index)),
};

async function runOperation(context: NodeContext, index: number): Promise<Item> {
  const options = await context.parameter<JsonObject>('options', index, {});
  try {
    if (context.literal('operation') === 'sign') {
      const payload = await payloadOf(context, index);
      const keyId = String(options.kid ?? '') || undefined;
      return {
        json: { token: await signJwt(payload, await credentialOf(context, options), context.now(), keyId) },
      };
    }
    const token = String(await context.parameter('token', index)).trim();
    if (context.literal('operation') === 'verify') {
      await verifyJwt(token, await credentialOf(context, options), context.now(), {
        ignoreExpiration: options.ignoreExpiration === true,
        ignoreNotBefore: options.ignoreNotBefore === true,
        clockTolerance: Number(options.clockTolerance ?? 0),
      });
    }
    const { header, payload, signature } = decodeJwt(token);
    return { json: options.complete === true ? { header, payload, signature } : { payload } };
  } catch (error) {
    if (!(error instanceof TokenRefused || error instanceof CredentialUnusable)) throw error;
    throw new NodeError(error.message, { itemIndex: index, cause: error });
  }
}

async function credentialOf(context: NodeContext, { algorithm }: JsonObject): Promise<JwtCredential> {
  const credential = await context.credential<JwtCredential>('jwtAuth');
  return typeof algorithm === 'string' && algorithm !== '' ? { ...credential, algorithm } : credential;
}

async function payloadOf(context: NodeContext, index: number): Promise<JsonObject> {
  if ((await context.parameter('useJson', index)) === true) {
    const payload = parseJsonParameter(
      await context.parameter('claimsJson', index),
      "Invalid JSON in 'Payload Claims (JSON)' field",
      { itemIndex: index },
    );
    if (isObject(payload)) return payload;
    throw new NodeError("The 'Payload Claims (JSON)' must be a JSON object", { itemIndex: index });
  }
  const { audience, expiresIn, issuer, jwtid, notBefore, subject } = await context.parameter<JsonObject>(
    'claims',
    index,
    {},
  );
  const seconds = Math.floor(context.now() / 1000);
  const claims: JsonObject = {
    aud: audience,
    exp: expiresIn && seconds + Number(expiresIn),
    iss: issuer,
    jti: jwtid,
    nbf: notBefore && seconds + Number(notBefore),
    sub: subject,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => Boolean(value)));
}
