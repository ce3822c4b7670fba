import { describe, expect, it } from 'vitest';
import type { CredentialType } from '#core/workflow-format';
import { credentialType, dataSchema, readCredentialData } from './credential-types.ts';

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
});
