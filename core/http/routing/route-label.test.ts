import { expect, it } from 'vitest';
import { routeLabel } from './route-label.ts';

it.each([
  ['local-models', '/api/chat/', '/api/chat'],
  ['local-models', '/api/blobs/sha256:00', '/api/blobs/:digest'],
  ['local-models', '/api/blobs/a/b', 'other'],
  ['local-models', '/v1/chat/completions', '/v1/chat/completions'],
  ['local-models', '/v1/models/a/b', '/v1/models/:model'],
  ['local-models', '/api/anything', 'other'],
  ['local-models', '/', '/'],
  ['image-workflows', '/api/history/1234', '/history/*'],
  ['image-workflows', '/prompt', '/prompt'],
  ['image-workflows', '/etc/passwd', 'other'],
  ['webhooks', '/webhook/secret-path', '/webhook/*'],
  ['webhooks', '/WEBHOOK-test/x', '/webhook-test/*'],
  ['webhooks', '/form-waiting/7', '/form-waiting/*'],
  ['webhooks', '/api/v1/workflows', '/api/v1/workflows'],
  ['webhooks', '/api/v1/workflows/7/activate', '/api/v1/workflows/*'],
  ['webhooks', '/healthz/readiness', '/healthz/readiness'],
  ['webhooks', '/x', 'other'],
] as const)('%s %s is counted as %s', (api, path, label) => expect(routeLabel(api, path)).toBe(label));
