import { describe, expect, it } from 'vitest';
import type { CredentialType } from '#core/workflow-format';
import { credentialType, credentialTypes, dataSchema, readCredentialData } from './credential-types.ts';

const type = {
  name: 'test',
  label: 'Test',
  fields: [
    { name: 'user', label: 'User', type: 'string' },
    { name: 'kind', label: 'Kind', type: 'string', enum: ['a', 'b'], default: 'a' },
  ],
} as unknown as CredentialType;

it('finds types by their complete name', () => {
  expect(credentialType('httpBasicAuth')?.fields.map(({ name }) => name)).toEqual(['user', 'password']);
  expect(credentialType('httpBasic')).toBeUndefined();
});

it('the schema lists the fields, and allows no others', () => {
  expect(dataSchema(type)).toEqual({
    additionalProperties: false,
    type: 'object',
    properties: { user: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } },
    required: [],
  });
});

describe('readCredentialData', () => {
  it('adds defaults of missing fields only', () => {
    expect(readCredentialData(type, { user: 'x' })).toEqual({ user: 'x', kind: 'a' });
    expect(readCredentialData(type, { kind: 'b' })).toEqual({ kind: 'b' });
  });

  it.each([
    [{ other: 'x' }, 'request/body/data/other is not known to test (it has: user, kind)'],
    [{ user: 1 }, 'request/body/data/user must be string'],
    [{ user: null }, 'request/body/data/user must be string'],
    [{ kind: 'c' }, 'request/body/data/kind must be equal to one of the allowed values: a, b'],
  ])('rejects %j', (data, message) => {
    expect(() => readCredentialData(type, data)).toThrow(expect.objectContaining({ status: 400, message }));
  });

  it('reads numbers and switches from text', () => {
    const typed: CredentialType = {
      name: 'test',
      label: 'Test',
      fields: [
        { name: 'port', label: 'Port', type: 'number', default: 25 },
        { name: 'secure', label: 'Secure', type: 'boolean' },
      ],
    };
    expect(readCredentialData(typed, { secure: 'true' })).toEqual({ port: 25, secure: true });
    expect(readCredentialData(typed, { port: '26', secure: false })).toEqual({ port: 26, secure: false });
    expect(() => readCredentialData(typed, { port: 'x' })).toThrow('request/body/data/port must be number');
    expect(() => readCredentialData(typed, { secure: '' })).toThrow(
      'request/body/data/secure must be boolean',
    );
  });
});

it('types of services share the addresses of their provider, which forms hide', () => {
  const { oauth2, fields } = credentialType('gmailOAuth2')!;
  expect(oauth2?.authUrl).toBe('https://accounts.google.com/o/oauth2/v2/auth');
  expect(fields.filter(({ hidden }) => !hidden).map(({ name }) => name)).toEqual([
    'clientId',
    'clientSecret',
  ]);
});

it('every text of a type names fields that the type has', () => {
  for (const { name, fields, authenticate, oauth2 } of credentialTypes) {
    const names = fields.map((field) => field.name);
    const texts = JSON.stringify([authenticate, oauth2]).matchAll(/\{([\w|]+)\}/g);
    for (const [, used] of texts) for (const field of used!.split('|')) expect(names, name).toContain(field);
  }
});
