import { expect, test } from 'vitest';
import { readHandleOptions, writeHandleOptions } from './handle-options.ts';
import { requestTarget } from './request-target.ts';

const workerUrl = new URL('https://site/tabd/sw.js');

test('options survive being written into the URL of the service worker', () => {
  const options = {
    apis: ['local-models', 'webhooks'],
    prefix: '/ai',
    reach: 'whole',
    intercept: ['http://localhost:11434'],
  } as const;
  expect(readHandleOptions(writeHandleOptions(workerUrl, options).search)).toEqual(options);
});

test('without a query no API is switched on', () => {
  expect(readHandleOptions('')).toEqual({ apis: [], prefix: '', reach: 'listed', intercept: [] });
});

test('unknown names of APIs and reaches are ignored', () => {
  expect(readHandleOptions('?apis=everything,webhooks&reach=all')).toEqual({
    apis: ['webhooks'],
    prefix: '',
    reach: 'listed',
    intercept: [],
  });
});

test('another origin is intercepted only if it is listed, for the API of its port', () => {
  const options = {
    apis: ['local-models'],
    intercept: ['http://localhost:11434', 'http://localhost:8188'],
  } as const;
  const target = (url: string) => requestTarget('GET', new URL(url), 'https://site', options);
  expect(target('http://localhost:11434/')).toEqual({
    api: 'local-models',
    prefix: '',
    listener: 'local-models',
  });
  expect(target('http://127.0.0.1:11434/')).toBeUndefined();
  // The site does not enable the API of this port.
  expect(target('http://localhost:8188/prompt')).toBeUndefined();
  expect(target('https://site/api/tags')?.listener).toBe('origin');
  expect(target('https://elsewhere/api/tags')).toBeUndefined();
});

test('intercept: true covers the default ports of the enabled APIs on localhost', () => {
  const options = { apis: ['local-models', 'webhooks'], intercept: true } as const;
  expect(readHandleOptions(writeHandleOptions(workerUrl, options).search).intercept).toBe(true);
  const listener = (url: string) => requestTarget('GET', new URL(url), 'https://site', options)?.listener;
  expect(listener('http://localhost:11434/api/tags')).toBe('local-models');
  expect(listener('http://127.0.0.1:11434/api/tags')).toBe('local-models');
  expect(listener('http://localhost:5678/webhook/x')).toBe('webhooks');
  expect(listener('http://localhost:8188/prompt')).toBeUndefined();
  expect(listener('http://localhost:3000/api/tags')).toBeUndefined();
  expect(listener('http://192.168.1.2:11434/api/tags')).toBeUndefined();
});
