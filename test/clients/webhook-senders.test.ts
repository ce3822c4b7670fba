/** Real senders of webhooks on a real port: curl, and services that sign their requests. */
import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type WebhookPort, webhookPort } from '../support/webhooks/webhook-port.ts';
import { codeNode, workflowOf } from '../support/webhooks/workflow-builder.ts';

let port: WebhookPort;
let folder: string;
beforeAll(async () => {
  port = await webhookPort();
  folder = await mkdtemp(join(tmpdir(), 'senders-'));
});
afterAll(async () => {
  await port.close();
  await rm(folder, { recursive: true, force: true });
});

/** Status and body of a curl command. */
async function curl(path: string, ...args: string[]): Promise<[number, string]> {
  const all = ['-sS', '--max-time', '20', '-w', '\n%{http_code}', ...args, `${port.url}/${path}`];
  const { stdout } = await promisify(execFile)('curl', all, { maxBuffer: 1e8 });
  const at = stdout.lastIndexOf('\n');
  return [Number(stdout.slice(at + 1)), stdout.slice(0, at)];
}

/** A Webhook node, and a Code node whose first item is the answer. */
function endpoint(path: string, code: string, options: Record<string, unknown> = {}, method = 'POST') {
  const parameters = { path, httpMethod: method, responseMode: 'lastNode', options };
  return workflowOf(
    { Webhook: { type: 'webhook', typeVersion: 2.1, parameters }, Code: codeNode(code) },
    ['Webhook -> Code'],
    { id: path, name: path },
  );
}

describe('curl', () => {
  const ECHO = `
    const { json, binary = {} } = $input.first();
    const files = {};
    for (const key of Object.keys(binary)) {
      const bytes = await this.helpers.getBinaryDataBuffer(0, key);
      const { fileName, mimeType } = binary[key];
      files[key] = { fileName, mimeType, text: bytes.toString('utf8').slice(0, 20), bytes: bytes.length };
    }
    return [{ json: { type: json.headers['content-type'] ?? null, body: json.body, query: json.query, files } }];`;
  beforeAll(() => port.publish(endpoint('echo', ECHO)));

  const echo = async (...args: string[]) => {
    const [status, text] = await curl('echo', ...args);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return JSON.parse(text);
  };
  const type = (value: string) => ['-H', `Content-Type: ${value}`];

  test('JSON', async () => {
    expect(await echo('--json', '{"a":[1,"é"]}')).toMatchObject({ body: { a: [1, 'é'] }, files: {} });
  });
  test('JSON in chunks and compressed', async () => {
    const chunked = [...type('application/json'), '-H', 'Transfer-Encoding: chunked', '-d', '{"t":1}'];
    expect((await echo(...chunked)).body).toEqual({ t: 1 });
    const path = join(folder, 'body.gz');
    await writeFile(path, gzipSync('{"z":1}'));
    const packed = [...type('application/json'), '-H', 'Content-Encoding: gzip', '--data-binary', `@${path}`];
    expect((await echo(...packed)).body).toEqual({ z: 1 });
  });
  test('a form without files', async () => {
    expect((await echo('-d', 'a=1', '-d', 'a=2', '--data-urlencode', 'b=x y&é')).body).toEqual({
      a: ['1', '2'],
      b: 'x y&é',
    });
  });
  test('a form with files', async () => {
    const path = join(folder, 'naïve name.txt');
    await writeFile(path, 'x'.repeat(300_000));
    const got = await echo(
      '-F',
      'note=hé',
      '-F',
      `doc=@${path}`,
      '-F',
      'inline=abc;filename=b.csv;type=text/csv',
    );
    expect(got.body).toEqual({ note: 'hé' });
    expect(got.files).toEqual({
      doc: { fileName: 'naïve name.txt', mimeType: 'text/plain', text: 'x'.repeat(20), bytes: 300_000 },
      inline: { fileName: 'b.csv', mimeType: 'text/csv', text: 'abc', bytes: 3 },
    });
  });
  test('text, XML and an empty body', async () => {
    expect((await echo(...type('text/plain'), '-d', 'hello')).body).toBe('hello');
    expect((await echo(...type('text/xml'), '-d', '<A x="1"><B>t</B></A>')).body).toEqual({
      a: { $: { x: '1' }, b: 't' },
    });
    expect(await echo('-X', 'POST')).toMatchObject({ body: {}, files: {} });
  });
  test('a large file as the body, and in the answer', async () => {
    const parameters = { path: 'mirror', httpMethod: 'POST', responseMode: 'responseNode' };
    const nodes = {
      Webhook: { type: 'webhook', typeVersion: 2.1, parameters },
      Respond: { type: 'respondToWebhook', typeVersion: 1.5, parameters: { respondWith: 'binary' } },
    };
    await port.publish(workflowOf(nodes, ['Webhook -> Respond'], { id: 'mirror', name: 'mirror' }));
    const [path, back] = [join(folder, 'pixels.bin'), join(folder, 'back.bin')];
    await writeFile(path, Buffer.alloc(17_000_000, 7));
    const args = [
      ...type('image/x-raw'),
      '-H',
      'Expect: 100-continue',
      '--data-binary',
      `@${path}`,
      '-o',
      back,
    ];
    expect((await curl('mirror', ...args))[0]).toBe(200);
    expect((await readFile(back)).equals(await readFile(path))).toBe(true);
  });
  test('a large file that a Code node reads', async () => {
    const code = `const file = await this.helpers.getBinaryDataBuffer(0, 'data');
      const sha256 = require('crypto').createHash('sha256').update(file).digest('hex');
      return [{ json: { bytes: file.length, sha256, text: file.toString('latin1').length } }];`;
    await port.publish(endpoint('digest', code));
    const path = join(folder, 'upload.bin');
    const upload = Buffer.alloc(17_000_000, 'any bytes \xff\0', 'latin1');
    await writeFile(path, upload);
    const [status, text] = await curl('digest', ...type('image/x-raw'), '--data-binary', `@${path}`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { bytes: 17_000_000, sha256: createHash('sha256').update(upload).digest('hex'), text: 17_000_000 },
    ]);
  });
  test('a query', async () => {
    const parameters = { path: 'find/:id', httpMethod: 'GET', responseMode: 'lastNode' };
    const nodes = {
      Webhook: { type: 'webhook', typeVersion: 2.1, parameters },
      Code: codeNode('const { params, query } = $input.first().json; return [{ json: { params, query } }];'),
    };
    await port.publish(workflowOf(nodes, ['Webhook -> Code'], { id: 'find', name: 'find' }));
    const [, text] = await curl('find/a%20b?x=1&x=2&o[k]=v', '--globoff');
    expect(JSON.parse(text)).toEqual({ params: { id: 'a b' }, query: { x: ['1', '2'], o: { k: 'v' } } });
  });
  test('invalid requests', async () => {
    expect(await curl('echo', '--json', '{"a":')).toEqual([
      422,
      expect.stringContaining('Failed to parse request body'),
    ]);
    expect(await curl('echo', ...type('application/xml'), '-d', '<a>')).toEqual([422, expect.any(String)]);
    expect(await curl('echo', ...type('multipart/form-data; boundary=x'), '-d', 'nothing')).toEqual([
      400,
      expect.any(String),
    ]);
    const path = join(folder, 'large.json');
    await writeFile(path, `"${'x'.repeat(17 * 1024 * 1024)}"`);
    expect(await curl('echo', ...type('application/json'), '--data-binary', `@${path}`)).toEqual([
      413,
      expect.stringContaining('at most 16 MiB'),
    ]);
  });
});

describe('services that sign the body', () => {
  const RAW = { rawBody: true };
  /** The example of a body that the sender documents, with its spaces and escapes. */
  const BODY = '{\n  "action": "opened",\n  "text": "caf\\u00e9 é"\n}';
  const send = (path: string, headers: Record<string, string>, body = BODY) =>
    fetch(`${port.url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    }).then(async (response) => [response.status, await response.text()]);
  const hex = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex');
  const REFUSED = [500, '{"message":"Error in workflow"}'];

  test('GitHub', async () => {
    const code = `
      const crypto = require('crypto');
      const body = await this.helpers.getBinaryDataBuffer(0, 'data');
      const given = Buffer.from($json.headers['x-hub-signature-256'] ?? '');
      const expected = Buffer.from('sha256=' + crypto.createHmac('sha256', 'It is a secret').update(body).digest('hex'));
      if (given.length !== expected.length || !crypto.timingSafeEqual(given, expected)) throw new Error('not signed by GitHub');
      return [{ json: { event: $json.headers['x-github-event'], action: $json.body.action } }];`;
    await port.publish(endpoint('github', code, RAW));
    const signed = {
      'x-github-event': 'issues',
      'x-hub-signature-256': `sha256=${hex('It is a secret', BODY)}`,
    };
    expect(await send('github', signed)).toEqual([200, '{"event":"issues","action":"opened"}']);
    expect(await send('github', signed, BODY.replace('opened', 'closed'))).toEqual(REFUSED);
    expect(await send('github', {})).toEqual(REFUSED);
  });

  test('Stripe', async () => {
    const code = `
      const { createHmac, timingSafeEqual } = require('crypto');
      const body = (await this.helpers.getBinaryDataBuffer(0, 'data')).toString('utf8');
      const parts = ($json.headers['stripe-signature'] ?? '').split(',').map((part) => part.split('='));
      const time = parts.find(([key]) => key === 't')?.[1];
      if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) throw new Error('too old');
      const expected = Buffer.from(createHmac('sha256', 'whsec_test').update(time + '.' + body).digest('hex'));
      const signatures = parts.filter(([key]) => key === 'v1').map(([, value]) => Buffer.from(value));
      if (!signatures.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))) throw new Error('forged');
      return [{ json: { received: true } }];`;
    await port.publish(endpoint('stripe', code, RAW));
    const signature = (time: number, key = 'whsec_test') => ({
      'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${hex(key, `${time}.${BODY}`)},v0=x`,
    });
    const now = Math.floor(Date.now() / 1000);
    expect(await send('stripe', signature(now))).toEqual([200, '{"received":true}']);
    expect(await send('stripe', signature(now, 'other'))).toEqual(REFUSED);
    expect(await send('stripe', signature(now - 3600))).toEqual(REFUSED);
  });

  test('Standard Webhooks, both ways', async () => {
    const secret = Buffer.from('a key of thirty-two bytes, it is').toString('base64');
    const code = `
      const { createHmac, timingSafeEqual, randomUUID } = require('crypto');
      const key = Buffer.from('${secret}', 'base64');
      const sign = (id, time, body) => 'v1,' + createHmac('sha256', key).update(id + '.' + time + '.' + body).digest('base64');
      const { headers } = $json;
      const body = (await this.helpers.getBinaryDataBuffer(0, 'data')).toString('utf8');
      const expected = Buffer.from(sign(headers['webhook-id'], headers['webhook-timestamp'], body));
      const given = (headers['webhook-signature'] ?? '').split(' ').map((one) => Buffer.from(one));
      if (!given.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))) throw new Error('forged');
      const answer = JSON.stringify({ got: $json.body.action });
      const id = 'msg_' + randomUUID();
      const time = String(Math.floor(Date.now() / 1000));
      return [{ json: { answer, id, time, signature: sign(id, time, answer) } }];`;
    const header = (name: string, field: string) => ({ name, value: `={{ $json.${field} }}` });
    const nodes = {
      Webhook: {
        type: 'webhook',
        typeVersion: 2.1,
        parameters: { path: 'standard', httpMethod: 'POST', responseMode: 'responseNode', options: RAW },
      },
      Code: codeNode(code),
      Respond: {
        type: 'respondToWebhook',
        typeVersion: 1.5,
        parameters: {
          respondWith: 'text',
          responseBody: '={{ $json.answer }}',
          options: {
            responseHeaders: {
              entries: [
                header('webhook-id', 'id'),
                header('webhook-timestamp', 'time'),
                header('webhook-signature', 'signature'),
              ],
            },
          },
        },
      },
    };
    await port.publish(
      workflowOf(nodes, ['Webhook -> Code', 'Code -> Respond'], { id: 'standard', name: 'standard' }),
    );
    const library = new Webhook(secret);
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `v1,AAAA ${library.sign('msg_1', at, BODY)}`,
    };
    const post = (body: string) => fetch(`${port.url}/standard`, { method: 'POST', headers, body });
    const response = await post(BODY);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(library.verify(text, Object.fromEntries(response.headers))).toEqual({ got: 'opened' });
    expect((await post(`${BODY} `)).status).toBe(500);
  });
});

test('HEAD, and a disconnect while the workflow runs', async () => {
  await port.publish(endpoint('head', 'return [{ json: { a: 1 } }];', {}, 'HEAD'));
  const response = await fetch(`${port.url}/head`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-length')]).toEqual([200, '7']);
  const slow = 'await new Promise((r) => setTimeout(r, 700)); return [{ json: { done: true } }];';
  await port.publish(endpoint('slow', slow));
  const left = fetch(`${port.url}/slow`, { method: 'POST', signal: AbortSignal.timeout(200) });
  await expect(left).rejects.toThrow();
  const newest = async () =>
    (await port.webhooks.engine.executions.list({ workflowId: 'slow', limit: 1 }))[0];
  await expect.poll(async () => (await newest())?.status, { timeout: 5000 }).toBe('success');
});
