/** Signs, verifies and reads JSON Web Tokens. */
import {
  CredentialUnusable,
  decodeJwt,
  type JwtCredential,
  signJwt,
  TokenRefused,
  verifyJwt,
} from '../../jwt.ts';
import type { NodeContext } from '../../workflow/node-context.ts';
import { NodeError } from '../../workflow/node-error.ts';
import type { NodeType, Parameter } from '../../workflow/node-type.ts';
import { perItem } from '../../workflow/per-item.ts';
import { isObject } from '../../workflow/read.ts';
import type { Item, JsonObject } from '../../workflow/types.ts';

const ALGORITHMS = ['HS', 'RS', 'ES', 'PS'].flatMap((kind) =>
  [256, 384, 512].map((bits) => `${kind}${bits}`),
);

const claim = (name: string, label: string, type: 'string' | 'number', description: string): Parameter => ({
  name,
  label,
  type,
  default: type === 'number' ? (name === 'expiresIn' ? 3600 : 0) : '',
  description,
});

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
    {
      name: 'operation',
      label: 'Operation',
      type: 'options',
      default: 'sign',
      literal: true,
      options: [
        { value: 'decode', label: 'Decode' },
        { value: 'sign', label: 'Sign' },
        { value: 'verify', label: 'Verify' },
      ],
    },
    {
      name: 'useJson',
      label: 'Use JSON to Build Payload',
      type: 'boolean',
      default: false,
      show: { operation: ['sign'] },
    },
    {
      name: 'claims',
      label: 'Payload Claims',
      type: 'collection',
      default: {},
      show: { operation: ['sign'], useJson: [false] },
      fields: [
        claim('audience', 'Audience', 'string', 'Who the token is for.'),
        claim('expiresIn', 'Expires In', 'number', 'Seconds that the token holds.'),
        claim('issuer', 'Issuer', 'string', 'Who made the token.'),
        claim('jwtid', 'JWT ID', 'string', 'Tells tokens apart.'),
        claim('notBefore', 'Not Before', 'number', 'Seconds until the token holds.'),
        claim('subject', 'Subject', 'string', 'Who the token is about.'),
      ],
    },
    {
      name: 'claimsJson',
      label: 'Payload Claims (JSON)',
      type: 'json',
      default: '{\n  "my_field_1": "value 1"\n}',
      show: { operation: ['sign'], useJson: [true] },
    },
    {
      name: 'token',
      label: 'Token',
      type: 'string',
      default: '',
      required: true,
      show: { operation: ['verify', 'decode'] },
    },
    {
      name: 'options',
      label: 'Options',
      type: 'collection',
      default: {},
      fields: [
        {
          name: 'algorithm',
          label: 'Override Algorithm',
          type: 'options',
          default: 'HS256',
          options: ALGORITHMS.map((value) => ({ value, label: value })),
          show: { '/operation': ['sign', 'verify'] },
        },
        {
          name: 'complete',
          label: 'Return Additional Info',
          type: 'boolean',
          default: false,
          description: 'Header and signature as well.',
          show: { '/operation': ['verify', 'decode'] },
        },
        {
          name: 'ignoreExpiration',
          label: 'Ignore Expiration',
          type: 'boolean',
          default: false,
          show: { '/operation': ['verify'] },
        },
        {
          name: 'ignoreNotBefore',
          label: 'Ignore Not Before Claim',
          type: 'boolean',
          default: false,
          show: { '/operation': ['verify'] },
        },
        {
          name: 'clockTolerance',
          label: 'Clock Tolerance',
          type: 'number',
          default: 0,
          description: 'Seconds that clocks may differ.',
          show: { '/operation': ['verify'] },
        },
        { name: 'kid', label: 'Key ID', type: 'string', default: '', show: { '/operation': ['sign'] } },
      ],
    },
  ],
  execute: (context) => perItem(context, (_item, index) => run(context, index)),
};

async function run(context: NodeContext, index: number): Promise<Item> {
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
    const given = await context.parameter('claimsJson', index);
    const payload = typeof given === 'string' ? parsed(given, index) : given;
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

function parsed(text: string, index: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeError("Invalid JSON in 'Payload Claims (JSON)' field", { itemIndex: index, cause });
  }
}
