/** A server with the routes of the Ollama API over fakes. */
import { composeServer } from '#core/http/routing/compose-server.ts';
import type { CallContext } from '#core/http/routing/server.ts';
import { createLocalModelsApi } from '#core/local-models/api.ts';
import { createTestHost, type TestHostOptions } from '../host/test-host.ts';
import { FakeRegistry, FakeTextService } from './fake-text-service.ts';

export const CALL: CallContext = {
  listener: 'local-models',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: ['http://localhost:4180'],
};

export function fakeServer(options: TestHostOptions = {}) {
  const host = createTestHost(options);
  const registry = new FakeRegistry();
  const service = new FakeTextService(registry);
  const server = composeServer(host, [createLocalModelsApi({ host, registry, textService: service })]);
  /** `body`: a string is sent unchanged, other values as JSON. */
  const ask = (method: string, path: string, body?: unknown, init: RequestInit = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1:11434${path}`, {
        method,
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
      }),
      CALL,
    );
  return { host, registry, service, server, ask };
}
