import { expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { httpRequest } from '../http-request.ts';
import { readAuthentication } from './authentication.ts';

const NONE = { headers: {}, query: {}, body: {} };

function read(genericAuthType: string, data: JsonObject, authentication = 'genericCredentialType') {
  const more = { credential: async () => data as never };
  return readAuthentication(parameterContext(httpRequest, { authentication, genericAuthType }, { more }));
}

it.each([
  ['httpBasicAuth', { user: 'ä', password: ':' }, { headers: { authorization: 'Basic w6Q6Og==' } }],
  ['httpBasicAuth', {}, { headers: { authorization: 'Basic Og==' } }],
  ['httpBearerAuth', { token: 't' }, { headers: { authorization: 'Bearer t' } }],
  ['httpHeaderAuth', { name: 'X-Key', value: 5 }, { headers: { 'X-Key': '5' } }],
  ['httpQueryAuth', { name: 'key', value: 'a b' }, { query: { key: 'a b' } }],
  ['httpDigestAuth', { user: 'u' }, { digest: { user: 'u', password: '' } }],
  [
    'httpCustomAuth',
    { json: '{"headers":{"a":1},"qs":{"b":[2]},"body":{"c":null},"other":1}' },
    { headers: { a: '1' }, query: { b: [2] }, body: { c: null } },
  ],
  ['httpCustomAuth', { json: '{"headers":[1],"qs":"text","body":null}' }, {}],
  ['httpCustomAuth', { json: '[1]' }, {}],
  ['httpCustomAuth', { json: 'null' }, {}],
])('of %s with %j adds %j', async (type, data, added) => {
  expect(await read(type, data)).toEqual({ ...NONE, ...added });
});

it('adds nothing without a credential', async () => {
  expect(await read('httpBasicAuth', { user: 'u' }, 'none')).toEqual(NONE);
});

it.each(['', '{', '{"headers":'])('refuses the custom JSON %j', async (json) => {
  await expect(read('httpCustomAuth', { json })).rejects.toThrow(
    'The JSON of the Custom Auth credential is not valid',
  );
});

it.each(['', 'oAuth1Api', 'toString'])('refuses a credential of the type %j', async (type) => {
  await expect(read(type, {})).rejects.toThrow(`Credentials of the type "${type}" cannot be used`);
});

it.each([
  ['slackApi', { accessToken: 't' }, { headers: { Authorization: 'Bearer t' } }],
  ['supabaseApi', { serviceRole: 'r' }, { headers: { apikey: 'r', Authorization: 'Bearer r' } }],
  ['trelloApi', { apiKey: 'k', apiToken: 't' }, { query: { key: 'k', token: 't' } }],
  ['jiraSoftwareCloudApi', { email: 'a', apiToken: 'b' }, { headers: { authorization: 'Basic YTpi' } }],
  ['twilioApi', { accountSid: 'a', authToken: 'b' }, { headers: { authorization: 'Basic YTpi' } }],
  [
    'openAiApi',
    { apiKey: 'k', organizationId: '', headerName: 'x-a', headerValue: 'b' },
    { headers: { Authorization: 'Bearer k', 'x-a': 'b' } },
  ],
  ['googlePalmApi', { apiKey: 'k' }, { query: { key: 'k' } }],
  ['anthropicApi', { apiKey: 'k' }, { headers: { 'x-api-key': 'k' } }],
  ['pushoverApi', { apiKey: 'k' }, { body: { token: 'k' } }],
])('of the service type %s with %j adds %j', async (type, data, added) => {
  const more = { credential: async () => data as never };
  const parameters = { authentication: 'predefinedCredentialType', nodeCredentialType: type };
  expect(await readAuthentication(parameterContext(httpRequest, parameters, { more }))).toEqual({
    ...NONE,
    ...added,
  });
});
