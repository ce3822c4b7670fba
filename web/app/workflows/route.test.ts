import { expect, it } from 'vitest';
import { parseRoute, routeHash, type WorkflowRoute } from './route.ts';

it.each<[string, WorkflowRoute]>([
  ['#/workflows', { screen: 'list' }],
  ['#/workflows/credentials', { screen: 'credentials' }],
  ['#/workflows/a%2Fb', { screen: 'workflow', id: 'a/b', tab: 'nodes' }],
  ['#/workflows/abc/canvas', { screen: 'workflow', id: 'abc', tab: 'canvas' }],
  ['#/workflows/abc/json', { screen: 'workflow', id: 'abc', tab: 'json' }],
  ['#/workflows/abc/executions', { screen: 'workflow', id: 'abc', tab: 'executions' }],
  ['#/workflows/abc/executions/7', { screen: 'execution', id: 'abc', execution: '7' }],
])('parses and prints %s', (hash, place) => {
  expect(parseRoute(hash)).toEqual(place);
  expect(routeHash(place)).toBe(hash);
});

it.each([
  ['#/workflows/', { screen: 'list' }],
  ['#/workflows/abc/odd', { screen: 'workflow', id: 'abc', tab: 'nodes' }],
  ['#/workflows/%zz', { screen: 'workflow', id: '%zz', tab: 'nodes' }],
])('shows a screen for the invalid address %s', (hash, place) => expect(parseRoute(hash)).toEqual(place));
